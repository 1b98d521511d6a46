/* SPDX-License-Identifier: GPL-2.0-or-later */
/* reorder-zero-buggy.c - the end of a list is stored over something else, and not persisted before the list is. */
// recover: check
// run: --detect inject,explore
#include "crash.h"

struct pool {
	_Alignas(LINE) uint64_t next;
	_Alignas(LINE) uint64_t head;
};

static int work(const char *path)
{
	struct pool *pool = (struct pool *)pool_create(path);

	ST8(&pool->next, 99);
	PERSIST(&pool->next);
	ST8(&pool->next, 0); //! recovery-error error
	ST8(&pool->head, 1);
	CLWB(&pool->next);
	CLWB(&pool->head);
	SFENCE();
	return 0;
}

static int check(const char *path)
{
	struct pool *pool = pool_open(path, POOL_ADDR, POOL_BYTES);

	if (pool && pool->head == 1 && pool->next != 0)
		REFUSE("the list does not end");
	return 0;
}
