/* SPDX-License-Identifier: GPL-2.0-or-later */
/* clean_words.c - commands without a mistake. */
// symbolic: stdin
// stdin: g\n
#include "search.h"

int main(int argc, char **argv)
{
	char *pool = pool_create(argv[argc - 1]), line[64];

	while (fgets(line, sizeof(line), stdin)) {
		if (!strncmp(line, "put ", 4))
			SAVE(pool, (uint64_t)atoi(line + 4));
		else if (!strcmp(line, "clear\n"))
			SAVE(pool, 0);
		else if (line[0] == 'q')
			break;
	}
	return 0;
}
