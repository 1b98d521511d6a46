/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hash_ops FILE MIB FLUSH OPS - a hash table that performs the operations of a list, `put K V`, `get K` and `delete K`,
 * and prints their results.  A change that is interrupted is taken back.  The file is made if there is none; a file of
 * zeros is an empty table. */
#include "persist.h"

#define DELETED (~0ul)

struct slot {
	uint64_t key, value; /* key 0: free */
};

/* What a change overwrites, so that it can be taken back. */
struct undo {
	uint64_t valid, at, count;
	struct slot slot;
	uint8_t pad[24];
};

struct table {
	uint64_t count;
	uint8_t pad[56];
	struct undo undo;
	struct slot slots[];
};

static struct table *table;
static uint64_t slots; /* a power of two */

static uint64_t find(uint64_t key)
{
	uint64_t at = key * 0x9e3779b97f4a7c15ul >> 20;

	while (table->slots[at % slots].key && table->slots[at % slots].key != key)
		at++;
	return at % slots;
}

static void set(uint64_t *word, uint64_t value)
{
	*word = value;
	persist(word, sizeof(*word));
}

static void recover(void)
{
	const struct undo *undo = &table->undo;

	if (!undo->valid)
		return;
	table->slots[undo->at] = undo->slot;
	persist(&table->slots[undo->at], sizeof(struct slot));
	set(&table->count, undo->count);
	set(&table->undo.valid, 0);
}

static void change(uint64_t at, struct slot slot, uint64_t count)
{
	struct undo *undo = &table->undo;

	undo->at = at;
	undo->count = table->count;
	undo->slot = table->slots[at];
	persist(undo, sizeof(*undo));
	set(&undo->valid, 1);
	set(&table->slots[at].value, slot.value);
	set(&table->slots[at].key, slot.key);
	set(&table->count, count);
	set(&undo->valid, 0);
}

/* An operation: a function of its own in the compiled program, for --calls. */
__attribute__((noinline)) void perform(const char *name, uint64_t key, uint64_t value);

void perform(const char *name, uint64_t key, uint64_t value)
{
	const uint64_t at = find(key);
	const int exists = table->slots[at].key != 0;

	switch (*name) {
	case 'p': change(at, (struct slot){key, value}, table->count + !exists); break;
	case 'd':
		if (exists)
			change(at, (struct slot){DELETED, 0}, table->count - 1);
		break;
	default: printf("%lu\n", table->slots[at].value); return;
	}
	printf("%s %lu, %lu in all\n", name, key, table->count);
}

int main(int argc, char **argv)
{
	char line[128], name[16];
	uint64_t key, value;
	size_t bytes;
	FILE *list;

	if (argc != 5) {
		fprintf(stderr, "usage: hash_ops FILE MIB FLUSH OPS\n");
		return 2;
	}
	bytes = strtoul(argv[2], NULL, 10) << 20;
	slots = bytes / sizeof(struct slot) / 2;
	persist_choose(argv[3]);
	table = pool_attach(argv[1], bytes);
	recover();
	list = fopen(argv[4], "r");
	if (!list) {
		perror(argv[4]);
		return 3;
	}
	while (fgets(line, sizeof(line), list)) {
		value = 0;
		if (sscanf(line, "%15s %lu %lu", name, &key, &value) >= 2)
			perform(name, key, value);
	}
	return 0;
}
