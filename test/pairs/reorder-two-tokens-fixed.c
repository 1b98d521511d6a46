/* SPDX-License-Identifier: GPL-2.0-or-later */
/* reorder-two-tokens-fixed.c - two tokens that must change together are one word. */
// recover: check
// run: --detect inject,explore
#include "crash.h"

/* Two halves of one word change at once. */
struct pool {
	_Alignas(LINE) uint64_t both;
};

static int work(const char *path)
{
	struct pool *pool = (struct pool *)pool_create(path);

	for (uint64_t i = 1; i <= 3; i++) {
		ST8(&pool->both, i << 32 | i);
		PERSIST(&pool->both);
	}
	return 0;
}

static int check(const char *path)
{
	struct pool *pool = pool_open(path, POOL_ADDR, POOL_BYTES);

	if (pool && pool->both >> 32 != (uint32_t)pool->both)
		REFUSE("the tokens differ");
	return 0;
}
