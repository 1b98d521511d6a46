/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ops-log-fixed.c - a log writes back every line of a record before it commits it. */
// arguments: {ops}
// run: --detect inject,explore
// ops: --count 20
// kind: 3 append {int:1-14} {value}
// kind: 1 count
// kind: 2 sum
#include "ops.h"

/* A record is its length and then that many words. */
struct pool {
	_Alignas(LINE) uint64_t used;
	_Alignas(LINE) uint64_t words[512];
};

static void append(struct pool *pool, uint64_t length, uint64_t value)
{
	uint64_t *record = &pool->words[pool->used];

	ST8(record, length);
	for (uint64_t i = 1; i <= length; i++)
		ST8(&record[i], value);
	for (uint64_t i = 0; i <= length; i++)
		CLWB(&record[i]);
	SFENCE();
	ST8(&pool->used, pool->used + length + 1);
	PERSIST(&pool->used);
	printf("appended %lu\n", length);
}

static void count(const struct pool *pool)
{
	uint64_t records = 0;

	for (uint64_t at = 0; at < pool->used; at += pool->words[at] + 1)
		records++;
	printf("%lu records\n", records);
}

static void sum(const struct pool *pool)
{
	uint64_t total = 0;

	for (uint64_t at = 0; at < pool->used; at++)
		total += pool->words[at];
	printf("sum %lu\n", total);
}

int main(int argc, char **argv)
{
	struct pool *pool = pool_attach(argv[1], POOL_ADDR, POOL_BYTES);
	FILE *list = list_open(argv[argc - 1]);
	struct operation op;

	while (operation_next(list, &op)) {
		if (is(&op, "append"))
			append(pool, op.a, op.b);
		else if (is(&op, "count"))
			count(pool);
		else
			sum(pool);
	}
	return 0;
}
