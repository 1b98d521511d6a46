/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ops-stdin-fixed.c - every operation writes back what it stores. */
// run: --detect inject
// ops: --count 30 --seed 2
// kind: 3 set {int:0-5} {value}
// kind: 3 copy {int:0-5} {int:0-5}
// kind: 3 get {int:0-5}
#include "ops.h"

struct cell {
	_Alignas(LINE) uint64_t value;
};

static void set(struct cell *cell, uint64_t value)
{
	ST8(&cell->value, value);
	PERSIST(cell);
	printf("set to %lu\n", value);
}

static void copy(struct cell *to, const struct cell *from)
{
	ST8(&to->value, from->value);
	PERSIST(to);
	printf("copied\n");
}

int main(int argc, char **argv)
{
	struct cell *cells = pool_attach(argv[argc - 1], POOL_ADDR, POOL_BYTES);
	struct operation op;

	while (operation_next(stdin, &op)) {
		if (is(&op, "set"))
			set(&cells[op.a], op.b);
		else if (is(&op, "copy"))
			copy(&cells[op.b], &cells[op.a]);
		else
			printf("%lu\n", cells[op.a].value);
	}
	return 0;
}
