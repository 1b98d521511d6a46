/* SPDX-License-Identifier: GPL-2.0-or-later */
/* orders.h - what may have become of operations that were under way in several threads when the power failed.
 *
 * Each of them may have happened or not, and those that have, in any order.  So the legal histories of n operations are
 * the ordered choices of 0 to n of them: 1, 2, 5, 16 and 65 for n from 0 to 4.
 *
 *     struct order order = {0};                        // none of them happened
 *     do
 *             ... order.at[0] .. order.at[order.count - 1] happened, in this order ...
 *     while (order_next(&order, n)); */
#ifndef BLACKOUT_OPS_ORDERS_H
#define BLACKOUT_OPS_ORDERS_H

#include <stdbool.h>

enum { ORDERS_OPERATIONS_MAX = 4 };

struct order {
	unsigned at[ORDERS_OPERATIONS_MAX]; /* numbers below n, all different */
	unsigned count;
};

/* Go on to the next history of `n` operations; false: that was the last.  Longer ones come after shorter ones. */
bool order_next(struct order *order, unsigned n);

#endif
