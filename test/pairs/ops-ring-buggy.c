/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ops-ring-buggy.c - a ring keeps its size apart from its ends. */
// arguments: {ops}
// run: --detect inject
// ops: --count 30
// kind: 4 enqueue {value}
// kind: 3 dequeue
// kind: 1 size
#include "ops.h"

#define ITEMS 8

struct pool {
	_Alignas(LINE) uint64_t first; /* they only grow */
	_Alignas(LINE) uint64_t end;
	_Alignas(LINE) uint64_t size;
	_Alignas(LINE) uint64_t items[ITEMS];
};

static uint64_t size(const struct pool *pool)
{
	return pool->size;
}

static void enqueue(struct pool *pool, uint64_t value)
{
	if (size(pool) == ITEMS) {
		printf("full\n");
		return;
	}
	ST8(&pool->items[pool->end % ITEMS], value);
	PERSIST(&pool->items[pool->end % ITEMS]);
	ST8(&pool->end, pool->end + 1); //! output-mismatch error
	PERSIST(&pool->end);
	ST8(&pool->size, pool->size + 1);
	PERSIST(&pool->size);
	printf("enqueued\n");
}

static void dequeue(struct pool *pool)
{
	if (size(pool) == 0) {
		printf("empty\n");
		return;
	}
	printf("%lu\n", pool->items[pool->first % ITEMS]);
	ST8(&pool->first, pool->first + 1); //! output-mismatch error
	PERSIST(&pool->first);
	ST8(&pool->size, pool->size - 1);
	PERSIST(&pool->size);
}

int main(int argc, char **argv)
{
	struct pool *pool = pool_attach(argv[1], POOL_ADDR, POOL_BYTES);
	FILE *list = list_open(argv[argc - 1]);
	struct operation op;

	while (operation_next(list, &op)) {
		if (is(&op, "enqueue"))
			enqueue(pool, op.a);
		else if (is(&op, "dequeue"))
			dequeue(pool);
		else
			printf("%lu items\n", size(pool));
	}
	return 0;
}
