/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/words.h"

#include <stdarg.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"

void words_add(struct words *words, const char *fmt, ...)
{
	va_list args;
	char *word;

	va_start(args, fmt);
	BUG_ON(vasprintf(&word, fmt, args) < 0);
	va_end(args);
	char **items = mem_resize(words->items, words->count + 2, sizeof(*items));
	items[words->count++] = word;
	items[words->count] = NULL;
	words->items = items;
}

void words_drop(struct words *words, size_t index)
{
	if (index >= words->count)
		return;
	free(words->items[index]);
	words->items[index] = words->items[--words->count];
	words->items[words->count] = NULL;
}

void words_free(struct words *words)
{
	for (size_t i = 0; i < words->count; i++)
		free(words->items[i]);
	free(words->items);
	*words = (struct words){0};
}

static int order(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

void words_sort(struct words *words)
{
	if (words->count)
		qsort(words->items, words->count, sizeof(*words->items), order);
}

bool words_have(const struct words *words, const char *word)
{
	return words->count && bsearch(&word, words->items, words->count, sizeof(*words->items), order);
}
