/* SPDX-License-Identifier: GPL-2.0-or-later */
/* parse_sscanf.c - two numbers, read by sscanf, have a sum and a difference. */
// symbolic: stdin
// stdin: 1,2\n
// trigger stdin: 60,40\n
#include "search.h"

int main(int argc, char **argv)
{
	char *pool = pool_create(argv[argc - 1]), line[64] = "";
	int a, b;

	SAVE(pool, 1);
	if (fgets(line, sizeof(line), stdin) && sscanf(line, "%d,%d", &a, &b) == 2 && a + b == 100 && a - b == 20)
		ST8(pool, 2); //! missing-flush error
	return 0;
}
