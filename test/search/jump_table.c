/* SPDX-License-Identifier: GPL-2.0-or-later */
/* jump_table.c - a dense switch, twice. */
// symbolic: stdin
// stdin: aa
// trigger stdin: lc
#include "search.h"

static volatile unsigned work;

/* Cases that differ, so that a compiler needs a table of jumps. */
static unsigned first(int c)
{
	switch (c) {
	case 'a': work++; return 1;
	case 'b': work--; return 2;
	case 'c': work += 2; return 4;
	case 'd': work -= 2; return 8;
	case 'e': work *= 3; return 3;
	case 'f': work ^= 1; return 5;
	case 'g': work |= 4; return 9;
	case 'h': work &= 7; return 6;
	case 'i': work <<= 1; return 10;
	case 'j': work >>= 1; return 12;
	case 'k': work = 7; return 7;
	case 'l': work = ~work; return 11;
	}
	return 0;
}

static void second(char *pool, int c)
{
	switch (c) {
	case 'a': SAVE(pool, 3); break;
	case 'b': SAVE(pool + 2 * LINE, 4); break;
	case 'c': ST8(pool, 2); break; //! missing-flush error
	case 'd': work++; break;
	case 'e': SAVE(pool + 3 * LINE, 5); break;
	case 'f': work += 9; break;
	case 'g': SAVE(pool + 4 * LINE, work); break;
	}
}

int main(int argc, char **argv)
{
	char *pool = pool_create(argv[argc - 1]);

	SAVE(pool, 1);
	if (first(getchar()) == 11)
		second(pool, getchar());
	return 0;
}
