/* SPDX-License-Identifier: GPL-2.0-or-later */
/* words.h - the identifiers on the source lines that an instruction comes from.
 *
 * They decide between names that the code alone cannot tell apart: members of a union, or of arrays that follow each
 * other.  A zeroed struct knows of no line. */
#ifndef BLACKOUT_VARIABLE_WORDS_H
#define BLACKOUT_VARIABLE_WORDS_H

#include <stdbool.h>
#include <stddef.h>

#define WORDS_LINES_MAX 4

struct words {
	struct words_line {
		const char *text; /* not zero-terminated; must outlive the words */
		size_t length;
	} lines[WORDS_LINES_MAX];
	size_t count;
};

/* More lines than WORDS_LINES_MAX are ignored. */
void words_add(struct words *words, const char *line, size_t length);

/* Is `word` on a line, as a whole identifier? */
bool words_have(const struct words *words, const char *word);

static inline bool words_known(const struct words *words)
{
	return words->count != 0;
}

/* A character that identifiers are made of. */
bool word_char(char c);

#endif
