/* SPDX-License-Identifier: GPL-2.0-or-later */
/* magic_byte.c - one byte has one value. */
// symbolic: stdin
// stdin: a
// trigger stdin: \xa7
#include "search.h"

int main(int argc, char **argv)
{
	char *pool = pool_create(argv[argc - 1]);
	int c = getchar();

	SAVE(pool, 1);
	if (c == 0xa7)
		ST8(pool, 2); //! missing-flush error
	return 0;
}
