/* SPDX-License-Identifier: GPL-2.0-or-later */
/* operations_list.c - an operation of a list, with one of its keys. */
// arguments: {ops} pool
// operations: put 1; get 1; put 2; get 2
// trigger operations: put 1; drop 5
// run: --detect patterns
#include "search.h"

#include "ops.h"

int main(int argc, char **argv)
{
	uint64_t *cells = pool_attach(argv[argc - 1], POOL_ADDR, POOL_BYTES);
	FILE *list = list_open(argv[1]);
	struct operation op;

	SAVE(cells, 1);
	while (operation_next(list, &op)) {
		uint64_t *cell = cells + op.a % 8 * (LINE / sizeof(*cells));

		if (is(&op, "put")) {
			SAVE(cell, 3);
			puts("put");
		} else if (is(&op, "drop") && op.a == 5) {
			ST8(cells, 2); //! missing-flush error
			puts("dropped");
		} else {
			printf("%lu\n", *cell);
		}
	}
	return 0;
}
