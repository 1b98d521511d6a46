/* SPDX-License-Identifier: GPL-2.0-or-later */
/* argument_file.c - an argument chooses what a file means. */
// symbolic: arg:1
// symbolic: file:config
// arguments: raw config pool
// file: config 0=0\n
// trigger arguments: ini config pool
// trigger file: config s=1\n
#include "search.h"

int main(int argc, char **argv)
{
	char *pool = pool_create(argv[argc - 1]), line[32] = "";
	FILE *file = fopen(argv[2], "r");

	SAVE(pool, 1);
	if (!file || !fgets(line, sizeof(line), file))
		return 0;
	if (!strcmp(argv[1], "ini") && line[1] == '=' && line[0] == 's' && line[2] == '1')
		ST8(pool, 2); //! missing-flush error
	return 0;
}
