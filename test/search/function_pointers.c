/* SPDX-License-Identifier: GPL-2.0-or-later */
/* function_pointers.c - handlers in a table, called by an index from the input. */
// symbolic: stdin
// stdin: 0a
// trigger stdin: 3z
#include "search.h"

typedef void handler(char *pool, int c);

static void ignore(char *pool, int c)
{
	(void)pool;
	(void)c;
}

static void count(char *pool, int c)
{
	SAVE(pool, (uint64_t)c);
}

static void print(char *pool, int c)
{
	printf("%c %lu\n", c, load8(pool));
}

static void commit(char *pool, int c)
{
	if (c == 'z')
		ST8(pool, 2); //! missing-flush error
}

static handler *const handlers[] = {ignore, count, print, commit};

int main(int argc, char **argv)
{
	char *pool = pool_create(argv[argc - 1]);
	unsigned index = (unsigned)getchar() - '0';

	SAVE(pool, 1);
	if (index < 4)
		handlers[index](pool, getchar());
	return 0;
}
