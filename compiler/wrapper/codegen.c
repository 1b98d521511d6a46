/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "codegen.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Options that concern the source, or that name files which are written with it.  The value is the next word. */
static const char *const left_out_with_value[] = {
	"-o",
	"-x",
	"-I",
	"-D",
	"-U",
	"-MT",
	"-dependency-file",
	"-dependency-dot",
	"-header-include-file",
	"-serialize-diagnostic-file",
	"-include",
	"-include-pch",
	"-isystem",
	"-iquote",
	"-idirafter",
	"-internal-isystem",
	"-internal-externc-isystem",
};
static const char *const left_out[] = {"-sys-header-deps", "-MP", "-MG", "-MV", "-H"};

static bool is_among(const char *word, const char *const *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(word, list[i]))
			return true;
	return false;
}

#define is_in(word, list) is_among(word, list, sizeof(list) / sizeof(*(list)))

/* Cut the next word, which is in quotes, off the line; NULL: there is none. */
static char *cut_word(char **line)
{
	char *from = *line + strspn(*line, " "), *to = from, *word = from;

	if (*from++ != '"')
		return NULL;
	while (*from && *from != '"') {
		if (*from == '\\' && from[1])
			from++;
		*to++ = *from++;
	}
	*line = *from ? from + 1 : from;
	*to = 0;
	return word;
}

/* Write the words of the line that are to be kept.  The last one is the source.  Return false if one cannot be kept. */
static bool write_words(FILE *out, char **line)
{
	char *held = NULL, *word;

	while ((word = cut_word(line))) {
		if (held)
			fprintf(out, "%s\n", held);
		held = is_in(word, left_out) || is_in(word, left_out_with_value) ? NULL : word;
		if (is_in(word, left_out_with_value))
			cut_word(line);
		if (held && strchr(held, '\n'))
			return false;
	}
	return true;
}

/* If the line runs the compiler proper: its words. */
static char *words_of(char **line)
{
	char *program = cut_word(line), *first = program ? cut_word(line) : NULL, *words = NULL;
	size_t size;
	FILE *out;
	bool complete;

	if (!first || strcmp(first, "-cc1") != 0)
		return NULL;
	out = open_memstream(&words, &size);
	if (!out)
		return NULL;
	fprintf(out, "%s\n%s\n", program, first);
	complete = write_words(out, line);
	fclose(out);
	if (complete)
		return words;
	free(words);
	return NULL;
}

char *codegen_words(char *plan)
{
	char *words = NULL;

	while (*plan && !words) {
		words = words_of(&plan);
		while (cut_word(&plan))
			;
		plan += strcspn(plan, "\n");
		plan += *plan == '\n';
	}
	return words;
}
