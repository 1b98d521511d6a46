/* SPDX-License-Identifier: GPL-2.0-or-later */
/* length_long.c - a line is longer than the buffer that it is meant for. */
// symbolic: stdin
// stdin: abc\n
// trigger stdin: xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\n
#include "search.h"

int main(int argc, char **argv)
{
	char *pool = pool_create(argv[argc - 1]), *line = NULL;
	size_t room = 0;
	ssize_t length = getline(&line, &room, stdin);

	SAVE(pool, 1);
	if (length > 100)
		ST8(pool, 2); //! missing-flush error
	free(line);
	return 0;
}
