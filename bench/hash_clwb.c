/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hash_clwb FILE OPERATIONS FLUSH - a hash table with linear probing: three insertions or updates per lookup.  The
 * value of a slot is persisted before its key makes it visible; then the count follows. */
#include "persist.h"

#define SLOTS (1u << 18)
#define KEYS (SLOTS / 2)

struct slot {
	uint64_t key, value; /* key 0: free */
};

struct table {
	uint64_t count;
	uint8_t pad[56];
	struct slot slots[SLOTS];
};

static struct slot *find(struct table *table, uint64_t key)
{
	uint64_t at = key * 0x9e3779b97f4a7c15ul >> 46;

	while (table->slots[at].key && table->slots[at].key != key)
		at = (at + 1) % SLOTS;
	return &table->slots[at];
}

static void put(struct table *table, uint64_t key, uint64_t value)
{
	struct slot *slot = find(table, key);

	slot->value = value;
	persist(&slot->value, sizeof(slot->value));
	if (slot->key)
		return;
	slot->key = key;
	persist(&slot->key, sizeof(slot->key));
	table->count++;
	persist(&table->count, sizeof(table->count));
}

int main(int argc, char **argv)
{
	uint64_t state = 88172645463325252ul, sum = 0;
	struct table *table;

	if (argc != 4) {
		fprintf(stderr, "usage: hash_clwb FILE OPERATIONS FLUSH\n");
		return 2;
	}
	persist_choose(argv[3]);
	table = pool_map(argv[1], sizeof(*table));
	for (unsigned long n = strtoul(argv[2], NULL, 10); n > 0; n--) {
		uint64_t r = random_next(&state), key = 1 + r % KEYS;

		if (r >> 62)
			put(table, key, r);
		else
			sum += find(table, key)->value;
	}
	return sum == 1; /* keeps the lookups from being optimized away */
}
