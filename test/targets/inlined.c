/* SPDX-License-Identifier: GPL-2.0-or-later */
/* inlined.c - a store in a function that is inlined into another. */
#include "target.h"

static char *pool;

static inline __attribute__((always_inline)) void innermost(void)
{
	ST8(pool, 0x111);
}

static inline __attribute__((always_inline)) void between(void)
{
	innermost();
	ST8(pool, 0x222);
}

static __attribute__((noinline)) void outer(void)
{
	between();
	ST8(pool, 0x333);
}

int main(int argc, char **argv)
{
	CHECK(argc == 2);
	pool = pool_create(argv[1]);
	outer();
	return 0;
}
