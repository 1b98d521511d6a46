/* SPDX-License-Identifier: GPL-2.0-or-later */
/* word_strcmp.c - a line is one of a few words, compared with strcmp. */
// symbolic: stdin
// stdin: hello\n
// trigger stdin: compact\n
#include "search.h"

int main(int argc, char **argv)
{
	char *pool = pool_create(argv[argc - 1]), line[64] = "";

	SAVE(pool, 1);
	if (!fgets(line, sizeof(line), stdin))
		return 0;
	line[strcspn(line, "\n")] = 0;
	if (!strcmp(line, "status"))
		puts("empty");
	else if (!strcmp(line, "store"))
		SAVE(pool + LINE, 1);
	else if (!strcmp(line, "compact"))
		ST8(pool, 2); //! missing-flush error
	return 0;
}
