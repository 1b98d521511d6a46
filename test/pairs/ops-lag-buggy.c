/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ops-lag-buggy.c - a sum is written back every four operations, and promises to lose two of them at most. */
// arguments: {ops}
// run: --detect inject --lag 2
// ops: --count 14
// kind: 1 add {int:1-99}
// probe: show; add 1; show
#include "ops.h"

#define GROUP 4

int main(int argc, char **argv)
{
	uint64_t *sum = pool_attach(argv[1], POOL_ADDR, POOL_BYTES);
	FILE *list = list_open(argv[argc - 1]);
	struct operation op;

	for (unsigned n = 1; operation_next(list, &op); n++) {
		if (is(&op, "add"))
			ST8(sum, *sum + op.a); //! output-mismatch error
		else
			printf("%lu\n", *sum);
		if (n % GROUP == 0)
			PERSIST(sum);
	}
	PERSIST(sum);
	return 0;
}
