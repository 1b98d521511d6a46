/* SPDX-License-Identifier: GPL-2.0-or-later */
/* word_case.c - a word in upper or lower case. */
// symbolic: stdin
// stdin: hello\n
// trigger stdin: DeLeTe\n
#include "search.h"

#include <strings.h>

int main(int argc, char **argv)
{
	char *pool = pool_create(argv[argc - 1]), word[32] = "";

	SAVE(pool, 1);
	if (scanf("%31s", word) == 1 && !strcasecmp(word, "delete"))
		ST8(pool, 2); //! missing-flush error
	return 0;
}
