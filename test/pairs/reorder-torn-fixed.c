/* SPDX-License-Identifier: GPL-2.0-or-later */
/* reorder-torn-fixed.c - two tokens that must change together are one word, which is stored at once. */
// recover: check
// run: --detect inject,explore
#include "crash.h"

struct pool {
	_Alignas(LINE) uint32_t first;
	uint32_t second;
};

static int work(const char *path)
{
	struct pool *pool = (struct pool *)pool_create(path);

	for (uint64_t i = 1; i <= 3; i++) {
		ST8(&pool->first, i << 32 | i);
		PERSIST(&pool->first);
	}
	return 0;
}

static int check(const char *path)
{
	struct pool *pool = pool_open(path, POOL_ADDR, POOL_BYTES);

	if (pool && pool->first != pool->second)
		REFUSE("the tokens differ");
	return 0;
}
