/* SPDX-License-Identifier: GPL-2.0-or-later */
/* helpers.h - a hash table with flush functions of its own, one on top of the other, as programs have them.  Twelve
 * flushes are needless; each is marked where it is asked for, and nothing else may be reported.
 *
 * helpers_O0.c is built without optimization, helpers_O2.c with the helpers inlined into their callers, helpers_g1.c
 * with debug info that has lines and no types. */
#include "target.h"

#define LINE 64
#define SLOTS 8

struct record {
	uint64_t key, value, next;
	char rest[LINE - 24];
};

struct table {
	uint64_t count;
	char pad[LINE - 8];
	uint64_t heads[SLOTS];
	struct record records[64];
};

static struct table *table;
static unsigned long lines_flushed; /* volatile state does not make a helper less of one */

/* ---- helpers, and helpers of helpers ---- */

static inline void wb(const void *line)
{
	CLWB(line);
	lines_flushed++;
}

static inline void pflush(uint64_t *word)
{
	wb(word);
}

static inline void drain(void)
{
	SFENCE();
}

static inline void clflush_range(char *data, int bytes)
{
	char *line = (char *)((uintptr_t)data & ~(uintptr_t)(LINE - 1));

	for (; line < data + bytes; line += LINE)
		wb(line);
}

static inline void persist(const void *data, size_t bytes)
{
	clflush_range((char *)data, (int)bytes);
	drain();
}

/* What is given is an object: that it is a helper shows in the run. */
static inline void record_persist(struct record *record)
{
	persist(record, sizeof(*record));
}

/* ---- the table ---- */

static __attribute__((noinline)) struct record *record_make(uint64_t key, uint64_t value)
{
	struct record *record = &table->records[table->count];

	ST8(&record->key, key);
	ST8(&record->value, value);
	record_persist(record);
	record_persist(record); //! 1
	ST8(&table->count, table->count + 1);
	persist(&table->count, sizeof(table->count));
	persist(&table->count, sizeof(table->count)); //! 2
	return record;
}

static __attribute__((noinline)) void insert(uint64_t key, uint64_t value)
{
	struct record *record = record_make(key, value);
	uint64_t *head = &table->heads[key % SLOTS];

	ST8(&record->next, *head);
	pflush(&record->key);
	drain();
	pflush(&record->key); //! 3
	drain();
	ST8(head, (uint64_t)(uintptr_t)record);
	persist(head, sizeof(*head));
	clflush_range((char *)head, sizeof(*head)); //! 4
	drain();
	clflush_range((char *)table->heads, sizeof(table->heads)); //! 5
	drain();
}

static __attribute__((noinline)) void update(uint64_t slot, uint64_t value)
{
	struct record *record = (struct record *)(uintptr_t)table->heads[slot];

	persist(record, sizeof(*record)); //! 6
	ST8(&record->value, value);
	record_persist(record);
	wb(record); //! 7
	drain();
	if (value & 1)
		persist(&record->value, 8); //! 8
	else
		record_persist(record); //! 9
}

static __attribute__((noinline)) void clear(uint64_t slot)
{
	persist(&table->heads[slot], 8); //! 10
	ST8(&table->heads[slot], 0);
	persist(&table->heads[slot], 8);
	for (int i = 0; i < 3; i++)
		pflush(table->heads); //! 11
	drain();
	wb(&table->count); //! 12
	drain();
}

int main(int argc, char **argv)
{
	CHECK(argc == 2);
	table = (struct table *)pool_create(argv[1]);
	for (uint64_t i = 0; i < 2 * SLOTS; i++)
		insert(i, 100 + i);
	for (uint64_t i = 0; i < SLOTS; i++)
		update(i, 200 + i);
	clear(0);
	clear(1);
	return lines_flushed == 0;
}
