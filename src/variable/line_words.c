/* SPDX-License-Identifier: GPL-2.0-or-later */
/* line_words.c - see line_words.h. */
#include "variable/line_words.h"

#include <ctype.h>
#include <string.h>

bool word_char(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

void line_words_add(struct line_words *words, const char *line, size_t length)
{
	if (words->count < LINE_WORDS_MAX)
		words->lines[words->count++] = (struct words_of_line){line, length};
}

static bool line_has(const struct words_of_line *line, const char *word)
{
	size_t length = strlen(word);

	for (size_t at = 0; at + length <= line->length; at++)
		if (!memcmp(line->text + at, word, length) && (at == 0 || !word_char(line->text[at - 1])) &&
		    (at + length == line->length || !word_char(line->text[at + length])))
			return true;
	return false;
}

bool line_words_have(const struct line_words *words, const char *word)
{
	for (size_t i = 0; i < words->count; i++)
		if (line_has(&words->lines[i], word))
			return true;
	return false;
}
