/* SPDX-License-Identifier: GPL-2.0-or-later */
/* line_words.h - the identifiers on the source lines that an instruction comes from.
 *
 * They decide between names that the code alone cannot tell apart: members of a union, or of arrays that follow each
 * other.  A zeroed struct knows of no line. */
#ifndef BLACKOUT_VARIABLE_LINE_WORDS_H
#define BLACKOUT_VARIABLE_LINE_WORDS_H

#include <stdbool.h>
#include <stddef.h>

#define LINE_WORDS_MAX 4

struct line_words {
	struct words_of_line {
		const char *text; /* not zero-terminated; must outlive the words */
		size_t length;
	} lines[LINE_WORDS_MAX];
	size_t count;
};

/* More lines than LINE_WORDS_MAX are ignored. */
void line_words_add(struct line_words *words, const char *line, size_t length);

/* Is `word` on a line, as a whole identifier? */
bool line_words_have(const struct line_words *words, const char *word);

static inline bool line_words_known(const struct line_words *words)
{
	return words->count != 0;
}

/* A character that identifiers are made of. */
bool word_char(char c);

#endif
