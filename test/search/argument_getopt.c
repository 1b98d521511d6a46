/* SPDX-License-Identifier: GPL-2.0-or-later */
/* argument_getopt.c - an option with a number, found by getopt_long. */
// symbolic: arg:1
// arguments: a pool
// trigger arguments: -s4242 pool
#include "search.h"

#include <getopt.h>

static long size_of(int argc, char **argv)
{
	static const struct option options[] = {{"force", 0, NULL, 'f'}, {"size", 1, NULL, 's'}, {0}};
	long size = 0;
	int c;

	opterr = 0;
	while ((c = getopt_long(argc, argv, "fs:", options, NULL)) != -1)
		if (c == 's')
			size = strtol(optarg, NULL, 0);
	return size;
}

int main(int argc, char **argv)
{
	char *pool = pool_create(argv[argc - 1]);

	SAVE(pool, 1);
	if (size_of(argc, argv) == 4242)
		ST8(pool, 2); //! missing-flush error
	return 0;
}
