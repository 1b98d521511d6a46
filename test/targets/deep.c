/* SPDX-License-Identifier: GPL-2.0-or-later */
/* deep.c - two million frames, made by calls that follow each other so closely that many fall into one block of
 * translated code. */
#include "target.h"

static char *pool;
static volatile long frames;

__attribute__((noinline, noclone)) static void first(long n);

__attribute__((noinline, noclone)) static void fourth(long n)
{
	first(n - 1);
	frames++;
}

__attribute__((noinline, noclone)) static void third(long n)
{
	fourth(n);
	frames++;
}

__attribute__((noinline, noclone)) static void second(long n)
{
	third(n);
	frames++;
}

__attribute__((noinline, noclone)) static void first(long n)
{
	if (n)
		second(n);
	else
		ST8(pool, 1); //! store pool+0x0 8 0x1
	frames++;
}

int main(int argc, char **argv)
{
	CHECK(argc == 2);
	pool = pool_create(argv[1]);
	begin(pool);
	first(500000);
	ST8(pool + 8, 2); //! store pool+0x8 8 0x2
	end(pool);
	CHECK(frames == 2000001);
	return 0;
}
