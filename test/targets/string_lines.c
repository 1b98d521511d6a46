/* SPDX-License-Identifier: GPL-2.0-or-later */
/* string_lines.c - lines that one string instruction stores, each with 256 contents, and a word that vouches for them.
 *
 *     string_lines POOL
 *     string_lines POOL check */
// needs: clwb
#include "target.h"

#define LINES 40

static int check(const char *pool)
{
	for (int i = 8; load8(pool) && i < 8 * LINES + 8; i++)
		if (load8(pool + 8 * i) != 7)
			return 1;
	return 0;
}

int main(int argc, char **argv)
{
	CHECK(argc > 1);
	char *pool = pool_anywhere(argv[1], POOL_BYTES);
	if (argc > 2)
		return check(pool);
	void *to = pool + 64;
	unsigned long words = 8 * LINES;
	__asm__ volatile("rep stosq" : "+D"(to), "+c"(words) : "a"(7ul) : "memory");
	ST8(pool, 1);
	CLWB(pool);
	SFENCE();
	return 0;
}
