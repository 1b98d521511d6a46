/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sequences.h - in how many orders could stores have reached media before a crash?
 *
 * A crash state is a set of units, because it does not matter in which order they got there.  Whoever looked at orders instead, as the first tools of
 * this kind did, would have to look at every sequence of units of which each beginning is a legal set: for three stores to three lines these
 * are 16, for 8 sets.  The number serves to show what sets spare. */
#ifndef BLACKOUT_MODEL_SEQUENCES_H
#define BLACKOUT_MODEL_SEQUENCES_H

#include <gmp.h>

#include "model/choices.h"

/* False if it is not known: with orders (CLFLUSH), or where the numbers are too large to calculate with. */
bool sequences_count(const struct choices *choices, mpz_t count);

#endif
