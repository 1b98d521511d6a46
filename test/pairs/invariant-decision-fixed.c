/* SPDX-License-Identifier: GPL-2.0-or-later */
/* invariant-decision-fixed.c - the payment is on media before the order is shipped. */
// recover: check
// run: --detect invariants
#include "crash.h"

struct pool {
	_Alignas(LINE) uint64_t paid;
	_Alignas(LINE) uint64_t shipped;
};

static int work(const char *path)
{
	struct pool *pool = (struct pool *)pool_create(path);

	ST8(&pool->paid, 1);
	PERSIST(&pool->paid);
	if (load8(&pool->paid))
		ST8(&pool->shipped, 1);
	PERSIST(&pool->shipped);
	return 0;
}

static int check(const char *path)
{
	struct pool *pool = pool_open(path, POOL_ADDR, POOL_BYTES);
	uint64_t paid, shipped;

	if (!pool)
		return 0;
	paid = load8(&pool->paid);
	shipped = load8(&pool->shipped);
	if (shipped > paid)
		REFUSE("shipped for nothing");
	return 0;
}
