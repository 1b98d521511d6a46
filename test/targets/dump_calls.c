/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dump_calls.c - a store at the end of two calls and an inlined function; lines are found by the comments `at` and
 * `by`. */
// cflags: -O2
#include "target.h"

static inline __attribute__((always_inline)) void put(char *p)
{
	ST8(p, 0x5ca1ab1e); /* at */
}

static __attribute__((noinline)) void change(char *p)
{
	put(p + 64); /* by 1 */
	CLWB(p + 64);
	SFENCE();
}

static __attribute__((noinline)) int work(char *p)
{
	change(p); /* by 2 */
	return p[64];
}

int main(int argc, char **argv)
{
	CHECK(argc == 2);
	return work(pool_create(argv[1])) != 0x1e; /* by 3 */
}
