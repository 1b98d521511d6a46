/* SPDX-License-Identifier: GPL-2.0-or-later */
/* keyword.h - the word that a program compares a word of its input with.
 *
 *     struct keyword keyword;
 *     if (keyword_find(&keyword, x, condition))
 *             keyword_put(&keyword, &input, source, most);
 *
 * A solver finds a word only if the input has one of the same length: how long it is was decided before, by the branches that
 * looked for its end.  But the condition has the bytes that the input was compared with, one by one: eq(stdin[3], 's').  So
 * the word of the input is replaced by these, whatever the path says. */
#ifndef BLACKOUT_SEARCH_KEYWORD_H
#define BLACKOUT_SEARCH_KEYWORD_H

#include <stdbool.h>

#include "expression/expressions.h"
#include "search/input.h"

enum { KEYWORD_MOST = 32 };

struct keyword {
	uint32_t source; /* its id in the graph */
	uint64_t offset; /* of the input's word, or of the part of it that is not yet right */
	uint64_t end;    /* where the program found what ends the word; 0: it is not known */
	size_t size;     /* 0: the word ends there */
	uint8_t bytes[KEYWORD_MOST];
};

/* False: there is none. */
bool keyword_find(struct keyword *keyword, const struct expressions *x, uint32_t condition);

/* Put it in place of the word of a source.  If that is as long as the keyword, the keyword goes on, since a solver would have
 * found it otherwise: then there is room for more.  False: there is no word. */
bool keyword_put(const struct keyword *keyword, struct input *input, size_t source, size_t most);

#endif
