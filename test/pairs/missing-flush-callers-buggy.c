/* SPDX-License-Identifier: GPL-2.0-or-later */
/* missing-flush-callers-buggy.c - a function persists what it stores, but not in its last call, which comes from
 * another place: one line of code with two stacks. */
#include "pair.h"

static void __attribute__((noinline)) put(char *at, uint64_t value, int last)
{
	ST8(at, value); //! missing-flush error
	if (last)
		return;
	CLWB(at);
	SFENCE();
}

int main(int argc, char **argv)
{
	char *p = pool_create(argc > 1 ? argv[1] : "pool");

	for (int i = 0; i < 3; i++)
		put(p + i * LINE, (uint64_t)i + 1, 0);
	put(p + 3 * LINE, 4, 1);
	return 0;
}
