/* SPDX-License-Identifier: GPL-2.0-or-later */
/* crash-nt-buggy.c - a buffer is announced, and then streamed past the cache. */
// recover: check
#include "crash.h"

struct pool {
	_Alignas(LINE) uint64_t words;
	_Alignas(LINE) uint64_t buffer[8];
};

static int work(const char *path)
{
	struct pool *pool = (struct pool *)pool_create(path);

	NT8(&pool->words, 8); //! recovery-error error
	SFENCE();
	for (uint64_t i = 0; i < 8; i++)
		NT8(&pool->buffer[i], i + 1);
	SFENCE();
	return 0;
}

static int check(const char *path)
{
	struct pool *pool = pool_open(path, POOL_ADDR, POOL_BYTES);

	for (uint64_t i = 0; pool && i < pool->words; i++)
		if (pool->buffer[i] != i + 1)
			REFUSE("the buffer has a hole");
	return 0;
}
