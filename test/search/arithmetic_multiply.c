/* SPDX-License-Identifier: GPL-2.0-or-later */
/* arithmetic_multiply.c - a product of two numbers. */
// symbolic: stdin
// stdin: aaaabbbb
// trigger stdin: \x0a\x00\x00\x00\x25\x00\x00\x00
#include "search.h"

int main(int argc, char **argv)
{
	char *pool = pool_create(argv[argc - 1]);
	uint32_t numbers[2] = {0};

	SAVE(pool, 1);
	if (input_read(0, numbers, sizeof(numbers)) == sizeof(numbers) && numbers[0] * 3 + 7 == numbers[1] &&
	    numbers[0] % 10 == 0)
		ST8(pool, 2); //! missing-flush error
	return 0;
}
