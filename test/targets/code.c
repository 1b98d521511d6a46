/* SPDX-License-Identifier: GPL-2.0-or-later */
/* code.c - between two fences, take the ways that the letters of argv[2] name. */
#include "target.h"

static char *pool;

static __attribute__((noinline)) void way_a(void)
{
	ST8(pool, 1);
}

static __attribute__((noinline)) void way_b(void)
{
	ST8(pool, 1);
	ST8(pool, 1);
}

/* The same stores as way_b, by other instructions, with volatile work between. */
static __attribute__((noinline)) void way_c(volatile int n)
{
	ST8(pool, 1);
	while (n > 0)
		n--;
	ST8(pool, 1);
}

int main(int argc, char **argv)
{
	CHECK(argc == 3);
	pool = pool_create(argv[1]);
	begin(pool);
	for (const char *way = argv[2]; *way; way++) {
		switch (*way) {
		case 'a': way_a(); break;
		case 'b': way_b(); break;
		case 'c': way_c(1); break;
		case 'd': way_c(2); break;
		}
		SFENCE();
	}
	end(pool);
	return 0;
}
