/* SPDX-License-Identifier: GPL-2.0-or-later */
/* reorder-log-buggy.c - an entry of a log and its length are persisted at once, and nothing tells whether the entry is
 * whole. */
// recover: check
// run: --detect inject,explore
#include "crash.h"

/* An entry counts if it has a length. */
struct pool {
	_Alignas(LINE) uint64_t words[12];
	_Alignas(LINE) uint64_t length;
};

static int work(const char *path)
{
	struct pool *pool = (struct pool *)pool_create(path);

	for (uint64_t i = 0; i < 12; i++)
		ST8(&pool->words[i], i + 1); //! recovery-error error
	ST8(&pool->length, 12);
	CLWB(&pool->words[0]);
	CLWB(&pool->words[8]);
	CLWB(&pool->length);
	SFENCE();
	return 0;
}

static int check(const char *path)
{
	struct pool *pool = pool_open(path, POOL_ADDR, POOL_BYTES);

	for (uint64_t i = 0; pool && i < pool->length; i++)
		if (pool->words[i] != i + 1)
			REFUSE("a part of the entry is missing");
	return 0;
}
