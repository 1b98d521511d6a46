/* SPDX-License-Identifier: GPL-2.0-or-later */
/* combine.h - all crash states of a moment, as digests: the variants of its lines combined in every legal way.
 *
 * One state costs one addition.  Without orders every state has another content; with them some contents may come more
 * than once. */
#ifndef BLACKOUT_CRASH_COMBINE_H
#define BLACKOUT_CRASH_COMBINE_H

#include "image/variants.h"

/* Hand each state to `visit`, first the one where nothing is taken that need not be, until it returns false.  False if
 * it did.  `certain` is the digest of what is certain. */
bool combine(const struct variants *variants, struct digest certain, bool (*visit)(void *arg, struct digest digest),
	     void *arg);

/* How many states there are; with orders, at most that many. */
double combine_count(const struct variants *variants);

#endif
