/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ops-two-files-fixed.c - an index in one file gets an entry when the data in another file is on media. */
// arguments: {ops}
// run: --detect inject,explore
// ops: --count 24 --keys 6
// kind: 3 put {key} {value}
// kind: 2 get {oldkey}
#include "ops.h"

#define KEYS 8

struct index {
	_Alignas(LINE) uint64_t used;     /* cells of the data file */
	_Alignas(LINE) uint64_t at[KEYS]; /* cell of a key, from 1 */
};

struct cell {
	_Alignas(LINE) uint64_t value;
};

static void put(struct index *index, struct cell *cells, uint64_t key, uint64_t value)
{
	uint64_t at = index->used + 1;

	ST8(&index->used, at);
	PERSIST(&index->used);
	ST8(&cells[at].value, value);
	PERSIST(&cells[at].value);
	ST8(&index->at[key % KEYS], at);
	PERSIST(&index->at[key % KEYS]);
	printf("put\n");
}

static void get(const struct index *index, const struct cell *cells, uint64_t key)
{
	uint64_t at = index->at[key % KEYS];

	if (at)
		printf("%lu\n", cells[at].value);
	else
		printf("none\n");
}

int main(int argc, char **argv)
{
	struct index *index = pool_attach(argv[1], POOL_ADDR, POOL_BYTES);
	FILE *list = list_open(argv[argc - 1]);
	struct cell *cells;
	struct operation op;
	char name[4096];

	snprintf(name, sizeof(name), "%s.data", argv[1]);
	cells = pool_attach(name, SECOND_ADDR, POOL_BYTES);
	while (operation_next(list, &op)) {
		if (is(&op, "put"))
			put(index, cells, op.a, op.b);
		else
			get(index, cells, op.a);
	}
	return 0;
}
