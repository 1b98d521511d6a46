/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sequences.h - count the sequences in which pending stores can reach media before a crash.  A tool that tries
 * sequences instead of sets would have to try this many.
 *
 * Cached units of one line reach media in the order of their stores, all others in any order, and any number of them
 * may have arrived at the crash.  Three lines with one store each thus have 1 + 3 + 6 + 6 = 16 sequences, but 8 sets.
 * Constraints of CLFLUSH between lines are ignored. */
#ifndef BLACKOUT_COUNT_SEQUENCES_H
#define BLACKOUT_COUNT_SEQUENCES_H

#include "model/choices.h"

/* The natural logarithm of the number of sequences.  *work is reduced by the additions used.  Negative: more additions
 * would be needed than *work allows. */
double sequences_log(const struct choices *choices, double *work);

#define SEQUENCES_WORK 3e8 /* about a second, for all moments of a run together */

/* log(exp(a) + exp(b)); -1 stands for log(0). */
double sequences_add(double a, double b);

#endif
