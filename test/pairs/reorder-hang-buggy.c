/* SPDX-License-Identifier: GPL-2.0-or-later */
/* reorder-hang-buggy.c - the end of a list is not ordered before its head: recovery follows it for ever. */
// recover: check
// run: --detect inject,explore --timeout 0.5
#include "crash.h"

struct pool {
	_Alignas(LINE) uint64_t next; /* 1 ends the list */
	_Alignas(LINE) uint64_t head;
};

static int work(const char *path)
{
	struct pool *pool = (struct pool *)pool_create(path);

	ST8(&pool->next, 1); //! recovery-hang error
	ST8(&pool->head, 64);
	CLWB(&pool->next);
	CLWB(&pool->head);
	SFENCE();
	return 0;
}

static int check(const char *path)
{
	struct pool *pool = pool_open(path, POOL_ADDR, POOL_BYTES);

	/* The list is followed to its end. */
	while (pool && load8(&pool->head) && load8(&pool->next) != 1)
		;
	return 0;
}
