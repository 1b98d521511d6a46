/* SPDX-License-Identifier: GPL-2.0-or-later */
/* nearest.h - what the user may have meant by a word that nobody knows.
 *
 *     struct nearest n = {.word = "misisng-flush"};
 *     for (...)
 *             nearest_offer(&n, name);
 *     if (n.best) ...                  // "missing-flush"
 */
#ifndef BLACKOUT_CLI_NEAREST_H
#define BLACKOUT_CLI_NEAREST_H

#include <stddef.h>

struct nearest {
	const char *word;
	const char *best; /* NULL: nothing that was offered is like it */
	size_t distance;  /* of the best */
};

/* Offer a name.  The first of those that are equally near wins. */
void nearest_offer(struct nearest *nearest, const char *name);

#endif
