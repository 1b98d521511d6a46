/* SPDX-License-Identifier: GPL-2.0-or-later */
/* nearest.h - guess which name the user meant by an unknown word.
 *
 *     struct nearest n = {.word = "misisng-flush"};
 *     for (...)
 *             nearest_offer(&n, name);
 *     if (n.best) ...                  // "missing-flush" */
#ifndef BLACKOUT_CLI_NEAREST_H
#define BLACKOUT_CLI_NEAREST_H

#include <stddef.h>

struct nearest {
	const char *word;
	const char *best; /* NULL: none of the offered names is similar */
	size_t distance;  /* of the best */
};

/* Offer a name.  If several are equally near, the first one wins. */
void nearest_offer(struct nearest *nearest, const char *name);

#endif
