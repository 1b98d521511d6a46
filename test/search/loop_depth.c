/* SPDX-License-Identifier: GPL-2.0-or-later */
/* loop_depth.c - brackets are nested four deep, and closed again. */
// symbolic: stdin
// stdin: ()
// trigger stdin: (((())))
#include "search.h"

int main(int argc, char **argv)
{
	char *pool = pool_create(argv[argc - 1]);
	int c, depth = 0, deepest = 0;

	SAVE(pool, 1);
	while ((c = getchar()) != EOF) {
		if (c == '(')
			depth++;
		else if (c == ')')
			depth--;
		else
			return 0;
		if (depth < 0)
			return 0;
		if (depth > deepest)
			deepest = depth;
	}
	if (depth == 0 && deepest == 4)
		ST8(pool, 2); //! missing-flush error
	return 0;
}
