/* SPDX-License-Identifier: GPL-2.0-or-later */
/* length_exact.c - the input has exactly 13 bytes. */
// symbolic: stdin
// stdin: abc
// trigger stdin: abcdefghijklm
#include "search.h"

int main(int argc, char **argv)
{
	char *pool = pool_create(argv[argc - 1]);
	char bytes[64];

	SAVE(pool, 1);
	if (input_read(0, bytes, sizeof(bytes)) == 13)
		ST8(pool, 2); //! missing-flush error
	return 0;
}
