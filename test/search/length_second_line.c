/* SPDX-License-Identifier: GPL-2.0-or-later */
/* length_second_line.c - the second line counts, and the first one is as long as it says. */
// symbolic: stdin
// stdin: 1\n
// trigger stdin: 4abc\nsync\n
#include "search.h"

int main(int argc, char **argv)
{
	char *pool = pool_create(argv[argc - 1]), first[32] = "", second[32] = "";

	SAVE(pool, 1);
	if (!fgets(first, sizeof(first), stdin) || !fgets(second, sizeof(second), stdin))
		return 0;
	if (strcspn(first, "\n") == (size_t)(first[0] - '0') && first[0] > '1' && !strcmp(second, "sync\n"))
		ST8(pool, 2); //! missing-flush error
	return 0;
}
