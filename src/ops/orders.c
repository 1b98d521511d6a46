/* SPDX-License-Identifier: GPL-2.0-or-later */
/* orders.c - see orders.h. */
#include "ops/orders.h"

#include "base/err.h"

static bool is_valid(const struct order *order)
{
	for (unsigned i = 0; i < order->count; i++)
		for (unsigned j = 0; j < i; j++)
			if (order->at[i] == order->at[j])
				return false;
	return true;
}

/* Count up, with `n` values per digit; there are at most 4^4 combinations, so skipping the invalid ones is fast. */
bool order_next(struct order *order, unsigned n)
{
	BUG_ON(n > ORDERS_OPERATIONS_MAX);
	do {
		unsigned digit = order->count;

		while (digit && ++order->at[digit - 1] == n)
			order->at[--digit] = 0;
		if (!digit) {
			if (order->count == n)
				return false;
			order->at[order->count++] = 0;
		}
	} while (!is_valid(order));
	return true;
}
