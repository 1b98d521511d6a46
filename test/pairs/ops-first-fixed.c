/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ops-first-fixed.c - a total and the number of its items change by one store.  Results are numbered. */
// arguments: {first} {ops}
// run: --detect inject
// ops: --count 20
// kind: 2 add {int:1-99}
// kind: 1 show
#include "ops.h"

struct sums {
	_Alignas(LINE) uint64_t total;
	_Alignas(LINE) uint64_t items;
};

struct pool {
	_Alignas(LINE) uint64_t current; /* which of the two holds */
	struct sums sums[2];
};

static void add(struct pool *pool, uint64_t number)
{
	struct sums *now = &pool->sums[pool->current];
	struct sums *next = &pool->sums[!pool->current];

	ST8(&next->total, now->total + number);
	PERSIST(&next->total);
	ST8(&next->items, now->items + 1);
	PERSIST(&next->items);
	ST8(&pool->current, !pool->current);
	PERSIST(&pool->current);
	printf("added\n");
}

int main(int argc, char **argv)
{
	struct pool *pool = pool_attach(argv[1], POOL_ADDR, POOL_BYTES);
	FILE *list = list_open(argv[argc - 1]);
	unsigned long number = strtoul(argv[2], NULL, 10);
	struct operation op;

	while (operation_next(list, &op)) {
		printf("%lu: ", number++);
		if (is(&op, "add"))
			add(pool, op.a);
		else
			printf("%lu items, %lu\n", pool->sums[pool->current].items, pool->sums[pool->current].total);
	}
	return 0;
}
