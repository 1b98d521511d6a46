/* SPDX-License-Identifier: GPL-2.0-or-later */
/* words.h - a command line, or an environment, under construction. */
#ifndef BLACKOUT_RUN_WORDS_H
#define BLACKOUT_RUN_WORDS_H

#include <stdbool.h>
#include <stddef.h>

/* `items` ends with NULL, so it can be passed to exec; it is NULL while nothing was added.  It owns the strings and the
 * array. */
struct words {
	char **items;
	size_t count;
};

void words_add(struct words *words, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Remove one; the last one takes its place.  Does nothing if there is none. */
void words_drop(struct words *words, size_t index);
void words_free(struct words *words);

/* Sort them; words_have searches sorted ones. */
void words_sort(struct words *words);
bool words_have(const struct words *words, const char *word);

#endif
