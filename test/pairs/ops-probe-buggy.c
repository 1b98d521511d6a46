/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ops-probe-buggy.c - a set of bits is updated in two halves; no operation of the list would show it. */
// arguments: {ops}
// run: --detect inject,explore
// ops: --count 24
// kind: 2 mark {int:0-63}
// probe: show; mark 3; show
#include "ops.h"

/* Bits 2n and 2n + 1 of the set are marked together. */
static void include(uint64_t *set, uint64_t bit)
{
	uint64_t pair = bit & ~1ul;

	ST8(set, *set | 1ul << pair);
	ST8(set, *set | 1ul << (pair + 1)); //! output-mismatch error
	PERSIST(set);
}

int main(int argc, char **argv)
{
	uint64_t *set = pool_attach(argv[1], POOL_ADDR, POOL_BYTES);
	FILE *list = list_open(argv[argc - 1]);
	struct operation op;

	while (operation_next(list, &op)) {
		if (is(&op, "mark"))
			include(set, op.a);
		else
			printf("%016lx\n", *set);
	}
	return 0;
}
