/* SPDX-License-Identifier: GPL-2.0-or-later */
/* crash-leftovers-buggy.c - a cache whose items lie in PM with their list links, reference counts and access times.
 * Recovery makes these anew; it reads the number of hits, and any will do.  All of them share lines with data that is
 * written back.  One store is forgotten that recovery cannot do without: the new length of an item that has changed. */
// recover: check
#include "crash.h"

enum { ITEMS = 8 };

struct item {
	_Alignas(LINE) uint64_t value;
	uint64_t length;
	uint64_t used;
	uint64_t next;
	uint32_t users, time; /* in one word */
};

struct pool {
	_Alignas(LINE) uint64_t magic;
	uint64_t hits;
	struct item items[ITEMS];
};

static void item_get(struct pool *pool, struct item *item, uint32_t now)
{
	ST4(&item->users, item->users + 1); //! transient-data warning
	ST4(&item->time, now);              //! transient-data warning
	ST8(&pool->hits, pool->hits + 1);   //! missing-flush warning
	ST4(&item->users, item->users - 1); //! transient-data warning
}

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
	ST8(&item->value, value);
	PERSIST(item);
	ST8(&item->length, value); //! recovery-error error
}

static int work(const char *path)
{
	struct pool *pool = (struct pool *)pool_create(path);

	ST8(&pool->magic, 1);
	PERSIST(pool);
	for (uint64_t i = 0; i < ITEMS; i++) {
		item_put(&pool->items[i], i + 1);
		ST8(&pool->items[i].next, (i + 1) % ITEMS); //! transient-data warning
	}
	for (uint32_t now = 1; now < 5; now++)
		item_get(pool, &pool->items[now], now);
	item_change(&pool->items[ITEMS - 1], 100);
	return 0;
}

static int check(const char *path)
{
	struct pool *pool = pool_open(path, POOL_ADDR, POOL_BYTES);
	uint64_t last = 0;

	if (!pool || pool->magic != 1)
		return 0;
	for (uint64_t i = 0; i < ITEMS; i++) {
		struct item *item = &pool->items[i];

		if (!item->used)
			continue;
		ST4(&item->users, 0);
		ST4(&item->time, 0);
		ST8(&item->next, last);
		last = i;
		if (item->value > 50 && item->value != item->length)
			REFUSE("an item has a wrong length");
	}
	printf("%lu hits\n", (unsigned long)pool->hits);
	return 0;
}
