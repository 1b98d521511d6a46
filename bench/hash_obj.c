/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hash_obj FILE OPERATIONS MIB - a hash table over libpmemobj, one transaction per insertion, in a pool of that size.
 * hash_obj FILE check - its recovery: opens the pool, looks for the first 100 keys, and closes it. */
// link: -lpmemobj
// cflags: -Wno-array-bounds -Wno-stringop-overflow -Wno-clobbered
#include <libpmemobj.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BUCKETS = 1024, KEYS_CHECKED = 100 };

POBJ_LAYOUT_BEGIN(hash);
POBJ_LAYOUT_ROOT(hash, struct table);
POBJ_LAYOUT_TOID(hash, struct pair);
POBJ_LAYOUT_END(hash);

struct pair {
	uint64_t key, value;
	TOID(struct pair) next;
};

struct table {
	uint64_t count;
	TOID(struct pair) buckets[BUCKETS];
};

static uint64_t key_of(uint64_t number)
{
	return (number + 1) * UINT64_C(0x9e3779b97f4a7c15);
}

static void table_insert(PMEMobjpool *pop, TOID(struct table) table, uint64_t key, uint64_t value)
{
	size_t bucket = key >> 32 & (BUCKETS - 1);

	TX_BEGIN(pop)
	{
		TOID(struct pair) pair = TX_NEW(struct pair);

		D_RW(pair)->key = key;
		D_RW(pair)->value = value;
		D_RW(pair)->next = D_RO(table)->buckets[bucket];
		TX_ADD_FIELD(table, buckets[bucket]);
		D_RW(table)->buckets[bucket] = pair;
		TX_ADD_FIELD(table, count);
		D_RW(table)->count++;
	}
	TX_ONABORT
	{
		fprintf(stderr, "aborted: %s\n", pmemobj_errormsg());
		exit(3);
	}
	TX_END
}

static int table_has(TOID(struct table) table, uint64_t key, uint64_t value)
{
	TOID(struct pair) pair = D_RO(table)->buckets[key >> 32 & (BUCKETS - 1)];

	while (!TOID_IS_NULL(pair) && D_RO(pair)->key != key)
		pair = D_RO(pair)->next;
	return !TOID_IS_NULL(pair) && D_RO(pair)->value == value;
}

static int table_check(PMEMobjpool *pop)
{
	TOID(struct table) table = POBJ_ROOT(pop, struct table);

	for (uint64_t i = 0; i < D_RO(table)->count && i < KEYS_CHECKED; i++) {
		if (!table_has(table, key_of(i), i)) {
			fprintf(stderr, "key %lu is lost\n", (unsigned long)i);
			return 3;
		}
	}
	return 0;
}

static void table_fill(PMEMobjpool *pop, unsigned long n)
{
	TOID(struct table) table = POBJ_ROOT(pop, struct table);

	for (unsigned long i = 0; i < n; i++)
		table_insert(pop, table, key_of(i), i);
}

int main(int argc, char **argv)
{
	int check = argc == 3 && !strcmp(argv[2], "check"), status;
	PMEMobjpool *pop;

	if (!check && argc != 4) {
		fprintf(stderr, "usage: hash_obj FILE OPERATIONS MIB | check\n");
		return 2;
	}
	if (check)
		pop = pmemobj_open(argv[1], POBJ_LAYOUT_NAME(hash));
	else
		pop = pmemobj_create(argv[1], POBJ_LAYOUT_NAME(hash), strtoul(argv[3], NULL, 10) << 20, 0644);
	if (!pop) {
		fprintf(stderr, "%s: %s\n", argv[1], pmemobj_errormsg());
		return 3;
	}
	if (!check)
		table_fill(pop, strtoul(argv[2], NULL, 10));
	status = table_check(pop);
	pmemobj_close(pop);
	return status;
}
