/* SPDX-License-Identifier: GPL-2.0-or-later */
/* combine.h - all crash states of a moment, as digests: the variants of its lines combined in every legal way.
 *
 * Each state costs one addition.  Without CLFLUSH orders all states have distinct contents.  With orders, some contents
 * may come more than once. */
#ifndef BLACKOUT_COUNT_COMBINE_H
#define BLACKOUT_COUNT_COMBINE_H

#include "image/variants.h"

/* Pass each state to `visit`, starting with the state that has only the guaranteed stores.  Stops and returns false
 * when `visit` returns false.  `certain` is the digest of the certain content. */
bool combine(const struct variants *variants, struct digest certain, bool (*visit)(void *arg, struct digest digest),
	     void *arg);

/* The number of states; an upper bound if there are orders. */
double combine_count(const struct variants *variants);

#endif
