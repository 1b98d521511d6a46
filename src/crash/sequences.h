/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sequences.h - in how many orders can what is pending get to media, up to a crash?  Whoever tries sequences instead of
 * sets has so many to try.
 *
 * Units of a line that are cached go in their order, all others as they like; up to any number of them may have gone.
 * So three lines with a store each have 1 + 3 + 6 + 6 = 16 sequences, of 8 sets.  What CLFLUSH demands between lines is
 * not looked at. */
#ifndef BLACKOUT_CRASH_SEQUENCES_H
#define BLACKOUT_CRASH_SEQUENCES_H

#include "model/choices.h"

/* The natural logarithm of their number.  Negative: it would take more additions than `work` says are left; otherwise
 * they are taken from it. */
double sequences_log(const struct choices *choices, double *work);

#define SEQUENCES_WORK 3e8 /* about a second, for all moments of a run together */

/* log(exp(a) + exp(b)); -1 stands for the logarithm of nothing. */
double sequences_add(double a, double b);

#endif
