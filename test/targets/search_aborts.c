/* SPDX-License-Identifier: GPL-2.0-or-later */
/* search_aborts.c - aborts behind each of several branches: `search_aborts POOL MESSAGE`.  The message is the last line that it
 * prints then; with `each`, each branch prints its own. */
#include "target.h"

enum { BYTES = 6 };

static void fail(const char *message, size_t i)
{
	if (!strcmp(message, "each"))
		fprintf(stderr, "byte %zu is wrong\n", i);
	else
		fprintf(stderr, "%s\n", message);
	abort();
}

int main(int argc, char **argv)
{
	char bytes[BYTES + 1] = "", *pool;

	CHECK(argc == 3 && read(STDIN_FILENO, bytes, BYTES) >= 0);
	pool = pool_create(argv[1]);
	/* Each is code of its own. */
	if (bytes[0] == 'A')
		fail(argv[2], 0);
	if (bytes[1] == 'B')
		fail(argv[2], 1);
	if (bytes[2] == 'C')
		fail(argv[2], 2);
	if (bytes[3] == 'D')
		fail(argv[2], 3);
	if (bytes[4] == 'E')
		fail(argv[2], 4);
	if (bytes[5] == 'F')
		fail(argv[2], 5);
	ST8(pool, 1);
	CLFLUSH(pool);
	return 0;
}
