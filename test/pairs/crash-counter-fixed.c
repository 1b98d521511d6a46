/* SPDX-License-Identifier: GPL-2.0-or-later */
/* crash-counter-fixed.c - a list whose head and counter are one word, so that they change at once. */
// recover: check
#include "crash.h"

struct node {
	_Alignas(LINE) uint64_t next; /* number of a node; 0 ends the list */
	uint64_t value;
};

struct pool {
	_Alignas(LINE) uint64_t head; /* the count is its upper half */
	struct node nodes[8];
};

static void push(struct pool *pool, uint64_t n)
{
	ST8(&pool->nodes[n].next, n - 1);
	ST8(&pool->nodes[n].value, 100 + n);
	PERSIST(&pool->nodes[n]);
	ST8(&pool->head, n << 32 | n);
	PERSIST(&pool->head);
}

static int work(const char *path)
{
	struct pool *pool = (struct pool *)pool_create(path);

	for (uint64_t n = 1; n <= 3; n++)
		push(pool, n);
	return 0;
}

static int check(const char *path)
{
	struct pool *pool = pool_open(path, POOL_ADDR, POOL_BYTES);
	uint64_t nodes = 0;

	if (!pool)
		return 0;
	for (uint64_t n = (uint32_t)pool->head; n; n = pool->nodes[n].next)
		nodes++;
	if (nodes != pool->head >> 32)
		REFUSE("the list and its counter are out of step");
	return 0;
}
