/* SPDX-License-Identifier: GPL-2.0-or-later */
/* argument_option.c - an option with a value. */
// symbolic: arg:1
// arguments: --level=10 pool
// trigger arguments: --level=42 pool
#include "search.h"

int main(int argc, char **argv)
{
	char *pool = pool_create(argv[argc - 1]);

	SAVE(pool, 1);
	if (!strncmp(argv[1], "--level=", 8) && atoi(argv[1] + 8) == 42)
		ST8(pool, 2); //! missing-flush error
	return 0;
}
