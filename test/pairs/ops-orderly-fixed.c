/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ops-orderly-fixed.c - a set of keys may be opened empty. */
// arguments: {ops}
// run: --detect inject,explore
// op: add 1; add 2; show; del 1; del 2; show; add 3; show; del 3; add 4; show
#include "ops.h"

enum { USED = 1 };

struct pool {
	_Alignas(LINE) uint64_t used; /* set once the first key is in */
	_Alignas(LINE) uint64_t keys; /* one bit for each */
};

static void keys_set(struct pool *pool, uint64_t keys)
{
	ST8(&pool->keys, keys);
	PERSIST(&pool->keys);
}

static void add(struct pool *pool, uint64_t key)
{
	keys_set(pool, pool->keys | 1ul << key);
	if (pool->used != USED) {
		ST8(&pool->used, USED);
		PERSIST(&pool->used);
	}
}

int main(int argc, char **argv)
{
	struct pool *pool = pool_attach(argv[1], POOL_ADDR, POOL_BYTES);
	FILE *list = list_open(argv[argc - 1]);
	struct operation op;

	while (operation_next(list, &op)) {
		if (is(&op, "add"))
			add(pool, op.a);
		else if (is(&op, "del"))
			keys_set(pool, pool->keys & ~(1ul << op.a));
		printf("%s %lx\n", op.name, pool->keys);
	}
	return 0;
}
