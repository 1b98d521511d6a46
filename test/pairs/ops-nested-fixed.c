/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ops-nested-fixed.c - recovery says that it has undone an operation when it has. */
// arguments: {ops}
// run: --detect inject --nested
// op: add 3; show
#include "ops.h"

struct pool {
	_Alignas(LINE) uint64_t busy; /* the old values below hold */
	uint64_t old_total, old_entries;
	_Alignas(LINE) uint64_t total;
	_Alignas(LINE) uint64_t entries;
};

static void word_set(uint64_t *word, uint64_t value)
{
	ST8(word, value);
	PERSIST(word);
}

static void pool_recover(struct pool *pool)
{
	if (!pool->busy)
		return;
	word_set(&pool->total, pool->old_total);
	word_set(&pool->entries, pool->old_entries);
	word_set(&pool->busy, 0);
}

static void add(struct pool *pool, uint64_t number)
{
	ST8(&pool->old_total, pool->total);
	ST8(&pool->old_entries, pool->entries);
	word_set(&pool->busy, 1);
	word_set(&pool->total, pool->total + number);
	word_set(&pool->entries, pool->entries + 1);
	word_set(&pool->busy, 0);
	printf("added\n");
}

int main(int argc, char **argv)
{
	struct pool *pool = pool_attach(argv[1], POOL_ADDR, POOL_BYTES);
	FILE *list = list_open(argv[argc - 1]);
	struct operation op;

	pool_recover(pool);
	while (operation_next(list, &op)) {
		if (is(&op, "add"))
			add(pool, op.a);
		else
			printf("%lu in %lu entries\n", pool->total, pool->entries);
	}
	return 0;
}
