/* SPDX-License-Identifier: GPL-2.0-or-later */
/* crash-error-fixed.c - a record is changed in a copy, and a word chooses the copy that counts. */
// recover: check
#include "crash.h"

struct record {
	_Alignas(LINE) uint64_t value;
	_Alignas(LINE) uint64_t sum;
};

struct pool {
	_Alignas(LINE) uint64_t current;
	struct record copies[2];
};

static uint64_t sum_of(uint64_t value)
{
	return value * 3;
}

static void change(struct pool *pool, uint64_t value)
{
	uint64_t next = !load8(&pool->current);
	struct record *record = &pool->copies[next];

	ST8(&record->value, value);
	PERSIST(&record->value);
	ST8(&record->sum, sum_of(value));
	PERSIST(&record->sum);
	ST8(&pool->current, next);
	PERSIST(&pool->current);
}

static int work(const char *path)
{
	struct pool *pool = (struct pool *)pool_create(path);

	change(pool, 1);
	return 0;
}

static int check(const char *path)
{
	struct pool *pool = pool_open(path, POOL_ADDR, POOL_BYTES);

	if (pool && pool->copies[pool->current].sum != sum_of(pool->copies[pool->current].value))
		REFUSE("the record is damaged");
	return 0;
}
