/* SPDX-License-Identifier: GPL-2.0-or-later */
/* vary.h - inputs that no branch asks for: longer ones, and lists of operations whose lines come and go.
 *
 *     struct input longer = vary_longer(&input, source, 0, most);
 *     struct input other = vary_lines(&input, source, 0, &random); */
#ifndef BLACKOUT_SEARCH_VARY_H
#define BLACKOUT_SEARCH_VARY_H

#include "search/input.h"

enum { VARY_LONGER = 2 /* ways to make an input longer */ };

/* The input with one source longer, in one of the ways.  0: its last line is longer; 1: it repeats itself. */
struct input vary_longer(const struct input *input, size_t source, unsigned way, size_t most);

/* The input with one change of its lines, in one of the ways.  0: a line gets a longer word; others: a line is repeated,
 * dropped, moved, or gets a word of another one in the same column.  Lines stay well formed. */
struct input vary_lines(const struct input *input, size_t source, unsigned way, uint64_t *random);

/* Lines of a source, each with its end. */
struct vary_line {
	const uint8_t *at;
	size_t size;
};
/* The caller frees the array. */
struct vary_line *vary_split(const struct input_bytes *bytes, size_t *count);

#endif
