/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ops-volatile-buggy.c - a counter is in volatile memory, and written to the pool only when all is done. */
// arguments: {ops}
// run: --detect inject
// ops: --count 20
// kind: 2 add {int:1-99}
// kind: 1 average
#include "ops.h"

struct pool {
	_Alignas(LINE) uint64_t sum;
	_Alignas(LINE) uint64_t count;
};

int main(int argc, char **argv)
{
	struct pool *pool = pool_attach(argv[1], POOL_ADDR, POOL_BYTES);
	FILE *list = list_open(argv[argc - 1]);
	uint64_t count = pool->count;
	char line[64];

	while (fgets(line, sizeof(line), list)) { //! output-mismatch error
		struct operation op = operation_of(line);

		if (is(&op, "add")) {
			ST8(&pool->sum, pool->sum + op.a);
			PERSIST(&pool->sum);
			count++;
		}
		printf("%lu of %lu\n", pool->sum, count);
	}
	ST8(&pool->count, count);
	PERSIST(&pool->count);
	return 0;
}
