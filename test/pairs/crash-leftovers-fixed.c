/* SPDX-License-Identifier: GPL-2.0-or-later */
/* crash-leftovers-fixed.c - see crash-leftovers-buggy.c. */
// recover: check
#include "crash.h"

enum { ITEMS = 8 };

struct item {
	_Alignas(LINE) uint64_t value;
	uint64_t length;
	uint64_t used;
};

struct pool {
	_Alignas(LINE) uint64_t magic;
	struct item items[ITEMS];
};

static uint64_t hits;

static void item_put(struct item *item, uint64_t value)
{
	ST8(&item->value, value);
	ST8(&item->length, value);
	PERSIST(item);
	ST8(&item->used, 1);
	PERSIST(item);
}

static void item_change(struct item *item, uint64_t value)
{
	ST8(&item->length, value);
	ST8(&item->value, value);
	PERSIST(item);
}

static int work(const char *path)
{
	struct pool *pool = (struct pool *)pool_create(path);

	ST8(&pool->magic, 1);
	PERSIST(pool);
	for (uint64_t i = 0; i < ITEMS; i++)
		item_put(&pool->items[i], i + 1);
	for (uint64_t now = 1; now < 5; now++)
		hits++;
	item_change(&pool->items[ITEMS - 1], 100);
	return 0;
}

static int check(const char *path)
{
	struct pool *pool = pool_open(path, POOL_ADDR, POOL_BYTES);

	if (!pool || pool->magic != 1)
		return 0;
	for (uint64_t i = 0; i < ITEMS; i++) {
		struct item *item = &pool->items[i];

		if (item->used && item->value > 50 && item->value != item->length)
			REFUSE("an item has a wrong length");
	}
	return 0;
}
