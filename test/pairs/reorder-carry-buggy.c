/* SPDX-License-Identifier: GPL-2.0-or-later */
/* reorder-carry-buggy.c - the flush that a fence needs comes only after it: the store is carried over. */
// recover: check
// run: --detect inject,explore
#include "crash.h"

struct pool {
	_Alignas(LINE) uint64_t data;
	_Alignas(LINE) uint64_t other;
	_Alignas(LINE) uint64_t valid;
};

static int work(const char *path)
{
	struct pool *pool = (struct pool *)pool_create(path);

	ST8(&pool->data, 42); //! recovery-error error
	ST8(&pool->other, 1);
	PERSIST(&pool->other);
	ST8(&pool->valid, 1);
	CLWB(&pool->valid);
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
