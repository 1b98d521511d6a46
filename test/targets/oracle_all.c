// SPDX-License-Identifier: GPL-2.0-or-later
// oracle_all.c - one event of every kind that a plug-in can be told of.
#include <blackout/annotate.h>

#include "target.h"

__attribute__((noinline)) static void work(char *p, unsigned long value)
{
	ST8(p, value);
	__asm__ volatile("");
}

int main(int argc, char **argv)
{
	unsigned long one = 1, count = 200;
	char *p, *v, *to;

	CHECK(argc == 2);
	p = pool_create(argv[1]);
	v = volatile_create();
	BLACKOUT_OP_BEGIN("first");
	work(p, 7);
	CHECK(load8(p) == 7);
	ST4(p + 0x100, 5);
	ST4(p + 0x100, 5);
	CLFLUSH(p);
	CLFLUSH(v);
	SFENCE();
	BLACKOUT_OP_END();
	__asm__ volatile("lock xaddq %0, (%1)" : "+r"(one) : "r"(p + 64) : "memory");
	__asm__ volatile("movntiq %0, (%1)" : : "r"(3ul), "r"(p + 128) : "memory");
	MFENCE();
	to = p + 0x200;
	__asm__ volatile("rep stosb" : "+D"(to), "+c"(count) : "a"(9) : "memory");
	BLACKOUT_OP_BEGIN(NULL);
	work(p + 8, 8);
	CHECK(msync(p, PAGE, MS_SYNC) == 0);
	BLACKOUT_OP_END();
	CHECK(munmap(p + PAGE, PAGE) == 0);
	ST1(p + 2 * PAGE, 1);
	return 0;
}
