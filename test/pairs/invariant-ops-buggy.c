/* SPDX-License-Identifier: GPL-2.0-or-later */
/* invariant-ops-buggy.c - nothing but the outputs shows that a key came before its value. */
// arguments: {ops}
// run: --detect invariants
// op: put 1 10; get 1; put 2 20; get 2; get 1; put 3 30; get 3
#include "ops.h"

struct slot {
	_Alignas(LINE) uint64_t token; /* the key, or 0 */
	_Alignas(LINE) uint64_t value;
};

struct pool {
	struct slot slots[8];
};

/* Each key is put once. */
static void put(struct slot *slot, uint64_t key, uint64_t value)
{
	ST8(&slot->value, value); //! ordering-violation error
	ST8(&slot->token, key);   //+ RO3
	CLWB(&slot->token);
	CLWB(&slot->value);
	SFENCE();
	printf("put\n");
}

static void get(const struct slot *slot, uint64_t key)
{
	if (load8(&slot->token) == key)
		printf("%lu\n", load8(&slot->value));
	else
		printf("none\n");
}

int main(int argc, char **argv)
{
	struct pool *pool = pool_attach(argv[1], POOL_ADDR, POOL_BYTES);
	FILE *list = list_open(argv[argc - 1]);
	struct operation op;

	while (operation_next(list, &op)) {
		struct slot *slot = &pool->slots[op.a % 8];

		if (is(&op, "put"))
			put(slot, op.a, op.b);
		else
			get(slot, op.a);
	}
	return 0;
}
