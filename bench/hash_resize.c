/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hash_resize FILE OPERATIONS FLUSH - a hash table that doubles when it is half full: insertions, one update in four.
 * hash_resize FILE check            - its recovery: the file must hold a table in which every key has its value
 *
 * An entry's value is persisted before its key makes it visible.  A new table is filled entry by entry.  All entries
 * are flushed and completed by one fence, before the root names the table.  Until then the table is not in use, so
 * thousands of stores may be on media or not, in any combination. */
#include "persist.h"

#define POOL_BYTES ((size_t)32 << 20)
#define SLOTS_FIRST 64u
#define STEP 1000003ul /* larger than the number of keys */

#define fence() __asm__ volatile("sfence" : : : "memory")

struct entry {
	uint64_t key, value; /* key 0: free */
};

struct table {
	uint64_t slots;
	uint8_t pad[56];
	struct entry entries[];
};

struct root {
	uint64_t table; /* offset; 0: none yet */
	uint8_t pad[56];
	uint64_t used; /* bytes of the pool */
	uint8_t rest[56];
};

static struct root *root;
static uint64_t count; /* of keys; kept only in volatile memory */

static struct table *table_at(uint64_t offset)
{
	return (struct table *)((char *)root + offset);
}

static size_t table_bytes(uint64_t slots)
{
	return sizeof(struct table) + slots * sizeof(struct entry);
}

static struct entry *find(struct table *table, uint64_t key)
{
	uint64_t at = key * 0x9e3779b97f4a7c15ul >> 40;

	while (table->entries[at % table->slots].key && table->entries[at % table->slots].key != key)
		at++;
	return &table->entries[at % table->slots];
}

static uint64_t table_new(uint64_t slots)
{
	uint64_t offset = root->used;

	if (offset + table_bytes(slots) > POOL_BYTES) {
		fprintf(stderr, "hash_resize: the pool is full\n");
		exit(3);
	}
	root->used += table_bytes(slots);
	persist(&root->used, sizeof(root->used));
	table_at(offset)->slots = slots;
	line_flush(table_at(offset));
	return offset;
}

static void table_use(uint64_t offset)
{
	root->table = offset;
	persist(&root->table, sizeof(root->table));
}

static void resize(void)
{
	const struct table *from = table_at(root->table);
	uint64_t offset = table_new(2 * from->slots);
	struct table *to = table_at(offset);

	for (uint64_t i = 0; i < from->slots; i++) {
		struct entry *entry = from->entries[i].key ? find(to, from->entries[i].key) : NULL;

		if (!entry)
			continue;
		*entry = from->entries[i];
		line_flush(entry);
	}
	fence(); /* one fence for all entries */
	table_use(offset);
}

static void put(uint64_t key, uint64_t value)
{
	struct entry *entry;

	if (2 * count >= table_at(root->table)->slots)
		resize();
	entry = find(table_at(root->table), key);
	entry->value = value;
	persist(&entry->value, sizeof(entry->value));
	if (entry->key)
		return;
	entry->key = key;
	persist(&entry->key, sizeof(entry->key));
	count++;
}

static void create(const char *path)
{
	root = pool_map(path, POOL_BYTES);
	root->used = sizeof(*root);
	persist(&root->used, sizeof(root->used));
	uint64_t offset = table_new(SLOTS_FIRST);
	fence();
	table_use(offset);
}

/* Checks that each value belongs to its key. */
static int entries_check(struct table *table)
{
	for (uint64_t i = 0; i < table->slots; i++) {
		const struct entry *entry = &table->entries[i];

		if (entry->key && (entry->value % STEP != entry->key || find(table, entry->key) != entry))
			return 3;
	}
	return 0;
}

static int check(const char *path)
{
	int fd = open(path, O_RDWR);
	struct table *table;

	root = fd < 0 ? MAP_FAILED : mmap(NULL, POOL_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (root == MAP_FAILED)
		return 1;
	close(fd);
	if (!root->table)
		return 0;
	table = table_at(root->table);
	if (root->table > POOL_BYTES - sizeof(*table) || !table->slots ||
	    table->slots > POOL_BYTES / sizeof(struct entry) || root->table + table_bytes(table->slots) > POOL_BYTES)
		return 2;
	return entries_check(table);
}

int main(int argc, char **argv)
{
	uint64_t key = 0;

	if (argc == 3 && !strcmp(argv[2], "check"))
		return check(argv[1]);
	if (argc != 4) {
		fprintf(stderr, "usage: hash_resize FILE OPERATIONS FLUSH | hash_resize FILE check\n");
		return 2;
	}
	persist_choose(argv[3]);
	create(argv[1]);
	for (uint64_t n = strtoul(argv[2], NULL, 10), i = 1; i <= n; i++) {
		if (i % 4)
			key++;
		put(i % 4 ? key : 1 + i * 7919 % key, (i % 4 ? key : 1 + i * 7919 % key) + STEP * i);
	}
	return 0;
}
