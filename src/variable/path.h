/* SPDX-License-Identifier: GPL-2.0-or-later */
/* path.h - from an object and bytes in it to the name of what is there: `node->items[].key`.
 *
 * Types come from debug info: structs, nested and anonymous, unions, arrays, bit fields, classes with their bases.
 * Members whose names are reserved (`_M_i`, `__a_`) are an implementation's own: the name ends before them, so the
 * content of a std::atomic has the name of the atomic. */
#ifndef BLACKOUT_VARIABLE_PATH_H
#define BLACKOUT_VARIABLE_PATH_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "variable/line_words.h"

#define PATH_TEXT_MAX 200
#define PATH_STRIDES_MAX 4

/* Something in memory that has a name. */
struct object {
	const char *text; /* of the object itself, or of a pointer to it */
	Dwarf_Die type;   /* of the object */
	bool pointed;     /* `text` names a pointer to the object */
};

/* Bytes of an object: `size` bytes at `offset`, plus unknown multiples of the strides. */
struct extent {
	int64_t offset;
	uint64_t size;
	int64_t strides[PATH_STRIDES_MAX];
	size_t stride_count;
};

/* How much a name says; more is better. */
enum path_rank {
	PATH_TARGET = 1, /* what a pointer points to: `*p`, `p[]`; or a variable */
	PATH_MEMBERS,    /* several members, which one instruction covers */
	PATH_MEMBER,
};

struct path {
	char text[PATH_TEXT_MAX];
	char type[PATH_TEXT_MAX]; /* of the innermost struct that has the member; "" if there is none */
	uint64_t offset, size;    /* of the member in that type */
	const char *member;       /* its last visible name; NULL: none */
	enum path_rank rank;
	Dwarf_Die leaf;      /* the type of what has the name, without typedefs and qualifiers */
	bool exact;          /* the bytes are all of the leaf */
	bool through_memory; /* for the caller: the name of the object leads through pointers in memory */
};

/* False: there is no name for exactly these bytes, or no certain one. */
bool path_find(const struct object *object, const struct extent *extent, const struct line_words *words,
	       struct path *path);

#endif
