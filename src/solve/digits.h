/* SPDX-License-Identifier: GPL-2.0-or-later */
/* digits.h - numbers that a program puts together from digits.
 *
 * If x * 10 + y is 31337, and y is below 10, then y is 7 and x is 3133.  A solver that looks at single bits does not see that,
 * so it is told. */
#ifndef BLACKOUT_SOLVE_DIGITS_H
#define BLACKOUT_SOLVE_DIGITS_H

#include "solve/trail.h"

/* An expression shall have this value: add to the slice what follows from that and from its conditions.  If it has wishes,
 * digits shall stay digits, so what follows from that is demanded, too. */
void digits_demand(struct expressions *x, struct slice *slice, uint32_t expression, uint64_t value);

#endif
