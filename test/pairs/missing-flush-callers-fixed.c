/* SPDX-License-Identifier: GPL-2.0-or-later */
/* missing-flush-callers-fixed.c - see missing-flush-callers-buggy.c. */
#include "pair.h"

static void __attribute__((noinline)) put(char *at, uint64_t value)
{
	ST8(at, value);
	CLWB(at);
	SFENCE();
}

int main(int argc, char **argv)
{
	char *p = pool_create(argc > 1 ? argv[1] : "pool");

	for (int i = 0; i < 3; i++)
		put(p + i * LINE, (uint64_t)i + 1);
	put(p + 3 * LINE, 4);
	return 0;
}
