/* SPDX-License-Identifier: GPL-2.0-or-later */
/* crash-exit-buggy.c - the last store of the run says that the one before it is done, which is never written back. */
// recover: check
#include "crash.h"

struct pool {
	_Alignas(LINE) uint64_t value;
	_Alignas(LINE) uint64_t done; /* values up to this one are safe */
};

static int work(const char *path)
{
	struct pool *pool = (struct pool *)pool_create(path);

	ST8(&pool->value, 1);
	PERSIST(&pool->value);
	ST8(&pool->done, 1);
	PERSIST(&pool->done);
	ST8(&pool->value, 2); //! recovery-error error
	ST8(&pool->done, 2);
	PERSIST(&pool->done);
	return 0;
}

static int check(const char *path)
{
	struct pool *pool = pool_open(path, POOL_ADDR, POOL_BYTES);

	if (pool && pool->value < pool->done)
		REFUSE("the value was lost");
	return 0;
}
