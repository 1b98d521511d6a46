/* SPDX-License-Identifier: GPL-2.0-or-later */
/* loop_count.c - a letter occurs five times. */
// symbolic: stdin
// stdin: abcdefgh
// trigger stdin: axaaxaax
#include "search.h"

int main(int argc, char **argv)
{
	char *pool = pool_create(argv[argc - 1]), bytes[8] = "";
	int count = 0;

	SAVE(pool, 1);
	input_read(0, bytes, sizeof(bytes));
	for (size_t i = 0; i < sizeof(bytes); i++)
		if (bytes[i] == 'a')
			count++;
	if (count == 5)
		ST8(pool, 2); //! missing-flush error
	return 0;
}
