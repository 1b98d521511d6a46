/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ops-table-buggy.c - a hash table makes a slot visible before its value is there. */
// arguments: {ops}
// run: --detect inject,explore
// ops: --count 30 --keys 8 --seed 3
// kind: 4 put {key} {value}
// kind: 2 get {key}
// kind: 2 delete {oldkey}
#include "ops.h"

#define SLOTS 16
#define DELETED (~0ul)

/* A slot is in one line.  Its stores reach media in their sequence. */
struct slot {
	_Alignas(16) uint64_t key, value;
};

static struct slot *find(struct slot *slots, uint64_t key)
{
	struct slot *free = NULL;

	for (uint64_t i = 0; i < SLOTS; i++) {
		struct slot *slot = &slots[(key * 7 + i) % SLOTS];

		if (slot->key == key)
			return slot;
		if (!free && (!slot->key || slot->key == DELETED))
			free = slot;
		if (!slot->key)
			break;
	}
	return free;
}

static void put(struct slot *slots, uint64_t key, uint64_t value)
{
	struct slot *slot = find(slots, key);

	ST8(&slot->key, key);
	ST8(&slot->value, value); //! output-mismatch error
	PERSIST(slot);
	printf("put\n");
}

static void get(struct slot *slots, uint64_t key)
{
	struct slot *slot = find(slots, key);

	if (slot->key == key)
		printf("%lu\n", slot->value);
	else
		printf("none\n");
}

static void erase(struct slot *slots, uint64_t key)
{
	struct slot *slot = find(slots, key);

	if (slot->key == key) {
		ST8(&slot->key, DELETED);
		PERSIST(slot);
	}
	printf("deleted\n");
}

int main(int argc, char **argv)
{
	struct slot *slots = pool_attach(argv[1], POOL_ADDR, POOL_BYTES);
	FILE *list = list_open(argv[argc - 1]);
	struct operation op;

	while (operation_next(list, &op)) {
		if (is(&op, "put"))
			put(slots, op.a, op.b);
		else if (is(&op, "get"))
			get(slots, op.a);
		else
			erase(slots, op.a);
	}
	return 0;
}
