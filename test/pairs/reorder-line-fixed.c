/* SPDX-License-Identifier: GPL-2.0-or-later */
/* reorder-line-fixed.c - data and the flag that makes it valid are in one line, which goes to media in the order of its
 * stores. */
// recover: check
// run: --detect inject,explore
#include "crash.h"

struct pool {
	_Alignas(LINE) uint64_t data;
	uint64_t valid;
};

static int work(const char *path)
{
	struct pool *pool = (struct pool *)pool_create(path);

	ST8(&pool->data, 42);
	ST8(&pool->valid, 1);
	CLWB(&pool->data);
	SFENCE();
	return 0;
}

static int check(const char *path)
{
	struct pool *pool = pool_open(path, POOL_ADDR, POOL_BYTES);

	if (pool && pool->valid && pool->data != 42)
		REFUSE("valid without data");
	return 0;
}
