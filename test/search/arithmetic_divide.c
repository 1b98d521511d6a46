/* SPDX-License-Identifier: GPL-2.0-or-later */
/* arithmetic_divide.c - a quotient and a remainder. */
// symbolic: stdin
// stdin: aaaa
// trigger stdin: \xc1\x21\x00\x00
#include "search.h"

int main(int argc, char **argv)
{
	char *pool = pool_create(argv[argc - 1]);
	uint32_t number = 0;

	SAVE(pool, 1);
	input_read(0, &number, sizeof(number));
	if (number / 7 == 1234 && number % 7 == 3)
		ST8(pool, 2); //! missing-flush error
	return 0;
}
