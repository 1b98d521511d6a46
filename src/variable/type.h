/* SPDX-License-Identifier: GPL-2.0-or-later */
/* type.h - types of the debug info, their names and members.
 *
 *     if (member_first(&type, &at))
 *             do
 *                     if (member_read(&at, &member)) ...          // data of the object, not a function or static
 *             while (member_next(&at)); */
#ifndef BLACKOUT_VARIABLE_TYPE_H
#define BLACKOUT_VARIABLE_TYPE_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The type without typedefs and qualifiers; false: void, or damaged. */
bool type_strip(const Dwarf_Die *type, Dwarf_Die *stripped);

/* The type of an entry, not stripped; false: void. */
bool type_of_die(Dwarf_Die *die, Dwarf_Die *type);

uint64_t type_size(Dwarf_Die *type); /* 0: unknown */

/* As the program's language writes it: `struct node` in C, `Node` in C++.  False: a struct, union or class without a
 * name, even of a typedef; or a name that does not fit. */
bool type_name(const Dwarf_Die *type, char *text, size_t size);

/* A class of an implementation, with reserved names for its data: std::atomic. */
bool type_is_hidden(const Dwarf_Die *type);

/* A name without a meaning for users of an implementation: `_M_i`, `__p`. */
bool name_is_reserved(const char *name);

/* A number that an entry has as an attribute. */
bool number_of(Dwarf_Die *die, unsigned int name, uint64_t *number);

struct member {
	const char *name; /* NULL: anonymous, or a base class */
	Dwarf_Die type;
	uint64_t offset, size; /* in bytes; of a bit field those that it touches */
	bool bits;
};

bool member_first(Dwarf_Die *type, Dwarf_Die *at);
bool member_next(Dwarf_Die *at);

/* False: no data of the object, or at a place that is computed. */
bool member_read(Dwarf_Die *at, struct member *member);

#endif
