/* SPDX-License-Identifier: GPL-2.0-or-later */
/* word_strstr.c - a word somewhere in a line, after a colon. */
// symbolic: stdin
// stdin: key: value\n
// trigger stdin: a:keep-alive\n
#include "search.h"

int main(int argc, char **argv)
{
	char *pool = pool_create(argv[argc - 1]), line[80] = "";
	const char *value;

	SAVE(pool, 1);
	if (!fgets(line, sizeof(line), stdin))
		return 0;
	value = strchr(line, ':');
	if (value && strstr(value, "keep"))
		ST8(pool, 2); //! missing-flush error
	return 0;
}
