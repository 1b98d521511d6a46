/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ops-out-fixed.c - an array that grows moves to its new place when its items are there. */
// arguments: {ops} {out}
// run: --detect inject
// ops: --count 30
// kind: 3 push {value}
// kind: 1 show
#include "ops.h"

struct array {
	_Alignas(LINE) uint64_t count;
	uint64_t room;
	uint64_t items[62];
};

struct pool {
	_Alignas(LINE) struct array *array;
	struct array places[5]; /* the room doubles, from 2 to 32 */
};

static void range_persist(const void *p, size_t bytes)
{
	for (size_t at = 0; at < bytes; at += LINE)
		CLWB((const char *)p + at);
	SFENCE();
}

static void grow(struct pool *pool)
{
	struct array *old = pool->array, *array = old ? old + 1 : pool->places;

	ST8(&array->count, old ? old->count : 0);
	ST8(&array->room, old ? 2 * old->room : 2);
	for (uint64_t i = 0; old && i < old->count; i++)
		ST8(&array->items[i], old->items[i]);
	range_persist(array, sizeof(*array));
	ST8(&pool->array, array);
	PERSIST(&pool->array);
}

static void push(struct pool *pool, uint64_t value)
{
	struct array *array = pool->array;

	ST8(&array->items[array->count], value);
	PERSIST(&array->items[array->count]);
	ST8(&array->count, array->count + 1);
	PERSIST(&array->count);
}

int main(int argc, char **argv)
{
	struct pool *pool = pool_attach(argv[1], POOL_ADDR, POOL_BYTES);
	FILE *list = list_open(argv[2]), *out = fopen(argv[argc - 1], "w");
	struct operation op;

	CHECK(out);
	printf("process %d\n", getpid()); /* not an output */
	while (operation_next(list, &op)) {
		if (is(&op, "push")) {
			if (!pool->array || pool->array->count == pool->array->room)
				grow(pool);
			push(pool, op.a);
		}
		fprintf(out, "%lu items:", pool->array ? pool->array->count : 0);
		for (uint64_t i = 0; pool->array && i < pool->array->count; i++)
			fprintf(out, " %lu", pool->array->items[i]);
		fprintf(out, "\n");
	}
	return 0;
}
