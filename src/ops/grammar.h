/* SPDX-License-Identifier: GPL-2.0-or-later */
/* grammar.h - the grammar from which `blackout ops` makes operations: one line for each kind of operation.
 *
 *     # WEIGHT TEMPLATE
 *     4 put {key} {value}
 *     2 get {oldkey}      # a key of an earlier operation
 *     1 scan {key} {int:1-20}
 *
 *     struct grammar *grammar;
 *     if (grammar_read(&grammar, "spec", &err) < 0)
 *             return -1;                                 // "spec:3:14: ..."
 *
 * A weight is a whole number; a kind of weight 0 is never chosen.  Blanks around a template do not belong to it.  A `#`
 * starts a comment wherever it stands.  In a template, `\{`, `\}`, `\#` and `\\` stand for the second character. */
#ifndef BLACKOUT_OPS_GRAMMAR_H
#define BLACKOUT_OPS_GRAMMAR_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/vec.h"

/* X(name in the enum, word in a template).  `{int:A-B}` has arguments, and PART_TEXT is no word. */
#define GRAMMAR_WORDS(X)     \
	X(KEY, "key")        \
	X(NEW_KEY, "newkey") \
	X(OLD_KEY, "oldkey") \
	X(VALUE, "value")

enum grammar_part_type {
	PART_TEXT,
	PART_INT,
#define X(name, word) PART_##name,
	GRAMMAR_WORDS(X)
#undef X
};

/* A piece of a template. */
struct grammar_part {
	enum grammar_part_type type;
	const char *text;  /* of PART_TEXT */
	int64_t low, high; /* of PART_INT: both can come out */
};

struct grammar_kind {
	uint32_t weight;
	size_t first, count; /* its parts in grammar.parts */
};

struct grammar {
	VEC_OF(struct grammar_kind) kinds;
	VEC_OF(struct grammar_part) parts;
	struct arena texts;
};

/* Parse `size` bytes.  `name` is what errors call them: "NAME:LINE:COLUMN: ...".  The grammar has at least one kind
 * with a weight above 0.  Release it with grammar_free. -1: ERR_USAGE. */
int grammar_parse(struct grammar **grammar, const char *name, const char *text, size_t size, struct err *err);

/* Read and parse a file; "-" is standard input. */
int grammar_read(struct grammar **grammar, const char *path, struct err *err);

void grammar_free(struct grammar *grammar);

#endif
