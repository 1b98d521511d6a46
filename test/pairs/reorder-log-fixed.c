/* SPDX-License-Identifier: GPL-2.0-or-later */
/* reorder-log-fixed.c - an entry of a log has a checksum: what is not whole does not count. */
// recover: check
// run: --detect inject,explore
#include "crash.h"

/* An entry counts if its sum is right, or if it is all zero. */
struct pool {
	_Alignas(LINE) uint64_t words[12];
	_Alignas(LINE) uint64_t sum;
};

static int work(const char *path)
{
	struct pool *pool = (struct pool *)pool_create(path);
	uint64_t sum = 0;

	for (uint64_t i = 0; i < 12; i++) {
		ST8(&pool->words[i], i + 1);
		sum = sum * 31 + i + 1;
	}
	ST8(&pool->sum, sum);
	CLWB(&pool->words[0]);
	CLWB(&pool->words[8]);
	CLWB(&pool->sum);
	SFENCE();
	return 0;
}

static int check(const char *path)
{
	struct pool *pool = pool_open(path, POOL_ADDR, POOL_BYTES);
	uint64_t sum = 0;

	for (uint64_t i = 0; pool && i < 12; i++)
		sum = sum * 31 + pool->words[i];
	if (!pool || !sum || sum != pool->sum)
		return 0;
	for (uint64_t i = 0; i < 12; i++)
		if (pool->words[i] != i + 1)
			REFUSE("the sum is right, and the entry is not");
	return 0;
}
