/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ops-volatile-fixed.c - a counter is in the pool, in the same word as the sum. */
// arguments: {ops}
// run: --detect inject
// ops: --count 20
// kind: 2 add {int:1-99}
// kind: 1 average
#include "ops.h"

int main(int argc, char **argv)
{
	uint64_t *both = pool_attach(argv[1], POOL_ADDR, POOL_BYTES); /* the count is the upper half */
	FILE *list = list_open(argv[argc - 1]);
	char line[64];

	while (fgets(line, sizeof(line), list)) {
		struct operation op = operation_of(line);

		if (is(&op, "add")) {
			ST8(both, *both + op.a + (1ul << 32));
			PERSIST(both);
		}
		printf("%lu of %lu\n", *both & 0xffffffff, *both >> 32);
	}
	return 0;
}
