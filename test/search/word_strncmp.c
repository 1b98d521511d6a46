/* SPDX-License-Identifier: GPL-2.0-or-later */
/* word_strncmp.c - a line begins with a word, and goes on with a digit. */
// symbolic: stdin
// stdin: x\n
// trigger stdin: level=9\n
#include "search.h"

int main(int argc, char **argv)
{
	char *pool = pool_create(argv[argc - 1]), line[64] = "";

	SAVE(pool, 1);
	if (fgets(line, sizeof(line), stdin) && !strncmp(line, "level=", 6) && line[6] == '9')
		ST8(pool, 2); //! missing-flush error
	return 0;
}
