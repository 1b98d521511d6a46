/* SPDX-License-Identifier: GPL-2.0-or-later */
/* crash-pending-buggy.c - the data is stored first but written back last: only where nothing pending reaches media,
 * recovery fails. */
// recover: check
#include "crash.h"

struct pool {
	_Alignas(LINE) uint64_t valid;
	_Alignas(LINE) uint64_t data;
};

static int work(const char *path)
{
	struct pool *pool = (struct pool *)pool_create(path);

	ST8(&pool->data, 42); //! recovery-error error
	ST8(&pool->valid, 1);
	PERSIST(&pool->valid);
	PERSIST(&pool->data);
	return 0;
}

static int check(const char *path)
{
	struct pool *pool = pool_open(path, POOL_ADDR, POOL_BYTES);

	if (pool && pool->valid && pool->data != 42)
		REFUSE("a valid pool without data");
	return 0;
}
