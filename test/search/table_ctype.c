/* SPDX-License-Identifier: GPL-2.0-or-later */
/* table_ctype.c - characters are of classes that the C library's tables know. */
// symbolic: stdin
// stdin: ----
// trigger stdin: aB3.
#include "search.h"

int main(int argc, char **argv)
{
	char *pool = pool_create(argv[argc - 1]);
	uint8_t c[4] = {0};

	SAVE(pool, 1);
	if (input_read(0, c, sizeof(c)) == sizeof(c) && islower(c[0]) && isupper(c[1]) && tolower(c[1]) == c[0] + 1 &&
	    isdigit(c[2]) && ispunct(c[3]) && c[3] != '-')
		ST8(pool, 2); //! missing-flush error
	return 0;
}
