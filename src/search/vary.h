/* SPDX-License-Identifier: GPL-2.0-or-later */
/* vary.h - inputs that no branch asks for: longer ones, lists of operations whose lines come and go, and
 * conversations with more or fewer messages.
 *
 *     struct input longer = vary_longer(&input, source, VARY_WORDS, most);
 *     struct input other = vary_lines(&input, source, 0, &random);
 *     struct input more = vary_message(&input, &sources, source, 0); */
#ifndef BLACKOUT_SEARCH_VARY_H
#define BLACKOUT_SEARCH_VARY_H

#include "search/input.h"

enum vary_growth {
	VARY_WORDS,     /* each word, a run of letters and digits, is longer by one */
	VARY_WORDS_FAR, /* by a few more */
	VARY_LAST_LINE, /* the last line is longer */
	VARY_GROWTHS
};

/* The input with one source longer, but not longer than `most`.  Without words, its end counts as one. */
struct input vary_longer(const struct input *input, size_t source, enum vary_growth growth, size_t most);

/* The input with one line of a source longer: the one with the byte at the offset, or else the last one. */
struct input vary_line(const struct input *input, size_t source, uint64_t offset, size_t most);

/* The input with one source that ends after `length` bytes; if it ended with a line end, it still does. */
struct input vary_end(const struct input *input, size_t source, size_t length);

/* The input with one source that repeats itself. */
struct input vary_repeat(const struct input *input, size_t source, size_t most);

/* The input with one change of its lines, in one of the ways.  0: a line gets a longer word; others: a line is repeated,
 * dropped, moved, or gets a word of another one in the same column.  Lines stay well formed. */
struct input vary_lines(const struct input *input, size_t source, unsigned way, uint64_t *random);

/* The input with one source that goes on with what another input has there.  If it is a message that has
 * no bytes yet, it gets the first one of the other input, on that connection, that differs. */
struct input vary_join(const struct input *input, const struct input *with, const struct input_sources *sources,
		       size_t source, size_t most);

enum { VARY_MESSAGES = 2 /* ways to say something more */ };

/* The input with one more message on a connection, whose source has no bytes yet.  0: the message before it comes again;
 * 1: the first one. */
struct input vary_message(const struct input *input, const struct input_sources *sources, size_t source, unsigned way);

/* The input without a message: those after it on its connection move up. */
struct input vary_without_message(const struct input *input, const struct input_sources *sources, size_t source);

/* Lines of a source, each with its end. */
struct vary_line {
	const uint8_t *at;
	size_t size;
};
/* The caller frees the array. */
struct vary_line *vary_split(const struct input_bytes *bytes, size_t *count);

#endif
