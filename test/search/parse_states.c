/* SPDX-License-Identifier: GPL-2.0-or-later */
/* parse_states.c - a state machine that accepts one sequence of letters. */
// symbolic: stdin
// stdin: zzzzzz
// trigger stdin: abbacd
#include "search.h"

enum state { START, A, AB, ABB, ABBA, ABBAC, DONE };

static enum state step(enum state s, int c)
{
	switch (s) {
	case START: return c == 'a' ? A : START;
	case A: return c == 'b' ? AB : c == 'a' ? A : START;
	case AB: return c == 'b' ? ABB : START;
	case ABB: return c == 'a' ? ABBA : START;
	case ABBA: return c == 'c' ? ABBAC : START;
	case ABBAC: return c == 'd' ? DONE : START;
	case DONE: break;
	}
	return DONE;
}

int main(int argc, char **argv)
{
	char *pool = pool_create(argv[argc - 1]);
	enum state s = START;
	int c;

	SAVE(pool, 1);
	while (s != DONE && (c = getchar()) != EOF)
		s = step(s, c);
	if (s == DONE)
		ST8(pool, 2); //! missing-flush error
	return 0;
}
