/* SPDX-License-Identifier: GPL-2.0-or-later */
/* parse_strtol.c - a number of five digits, read by strtol. */
// symbolic: stdin
// stdin: 7\n
// trigger stdin: 31337\n
#include "search.h"

int main(int argc, char **argv)
{
	char *pool = pool_create(argv[argc - 1]), line[64] = "", *end;

	SAVE(pool, 1);
	if (fgets(line, sizeof(line), stdin) && strtol(line, &end, 10) == 31337 && *end == '\n')
		ST8(pool, 2); //! missing-flush error
	return 0;
}
