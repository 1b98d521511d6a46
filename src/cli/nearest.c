/* SPDX-License-Identifier: GPL-2.0-or-later */
/* nearest.c - see nearest.h.
 *
 * The distance is the number of letters that must be inserted, removed, replaced or swapped with their neighbor.  A
 * name is similar to the word if about one letter in three differs, or if the word is a part of it ("flush"). */
#include "cli/nearest.h"

#include <string.h>

enum { LENGTH_MAX = 40 }; /* longer than any of our names */

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

static size_t distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
	size_t d[LENGTH_MAX + 1][LENGTH_MAX + 1];

	for (size_t i = 0; i <= a_length; i++)
		for (size_t k = 0; k <= b_length; k++) {
			if (!i || !k) {
				d[i][k] = i + k;
				continue;
			}
			d[i][k] = least(d[i - 1][k], d[i][k - 1]) + 1;
			d[i][k] = least(d[i][k], d[i - 1][k - 1] + (a[i - 1] != b[k - 1]));
			if (i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1])
				d[i][k] = least(d[i][k], d[i - 2][k - 2] + 1);
		}
	return d[a_length][b_length];
}

void nearest_offer(struct nearest *n, const char *name)
{
	size_t length = strlen(n->word), name_length = strlen(name), found;

	if (!length || length > LENGTH_MAX || name_length > LENGTH_MAX)
		return;
	found = distance(n->word, length, name, name_length);
	if (found > 1 + length / 3 && !(length > 2 && strstr(name, n->word)))
		return;
	if (n->best && found >= n->distance)
		return;
	n->best = name;
	n->distance = found;
}
