/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A table that shows each rule of doc/INVARIANTS.md: invariants POOL.  The test names lines by their comments. */
#include "target.h"

struct slot {
	uint64_t token, key;
};

struct table {
	uint64_t count, total, closed, unused;
	struct slot slots[4];
};

static struct table *table;

#define word(at) (*(const volatile uint64_t *)(at))

__attribute__((noinline)) static void insert(uint64_t key)
{
	uint64_t count = word(&table->count); // load count
	struct slot *slot = &table->slots[count];

	ST8(&slot->key, key);          // store key
	ST8(&slot->token, 1);          // store token
	ST8(&table->count, count + 1); // store count
}

__attribute__((noinline)) static uint64_t has(uint64_t at, uint64_t key)
{
	if (!word(&table->slots[at].token)) // load token
		return 0;
	return word(&table->slots[at].key) == key; // load key
}

__attribute__((noinline)) static void finish(void)
{
	ST8(&table->total, word(&table->count) * 2); // store total
	if (word(&table->total) > 2)                 // load total
		ST8(&table->closed, 1);              // store closed
}

int main(int argc, char **argv)
{
	uint64_t found;

	CHECK(argc == 2);
	table = (struct table *)pool_create(argv[1]);
	insert(7); // first insert
	insert(8); // second insert
	found = has(0, 7) + has(1, 8) + has(1, 8);
	finish();
	CHECK(found == 3);
	return 0;
}
