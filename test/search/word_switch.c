/* SPDX-License-Identifier: GPL-2.0-or-later */
/* word_switch.c - commands of one letter, one of which needs a second letter. */
// symbolic: stdin
// stdin: g
// trigger stdin: px
#include "search.h"

static void put(char *pool, int kind)
{
	switch (kind) {
	case 'a': SAVE(pool, 3); break;
	case 'x': ST8(pool, 2); break; //! missing-flush error
	case 'y': SAVE(pool + 2 * LINE, 3); break;
	}
}

int main(int argc, char **argv)
{
	char *pool = pool_create(argv[argc - 1]);

	SAVE(pool, 1);
	switch (getchar()) {
	case 'd': SAVE(pool, 0); break;
	case 'g': printf("%c\n", *pool); break;
	case 'p': put(pool, getchar()); break;
	case 'q': return 0;
	}
	return 0;
}
