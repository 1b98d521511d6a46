/* SPDX-License-Identifier: GPL-2.0-or-later */
/* parse_hex.c - eight hexadecimal digits are a number. */
// symbolic: stdin
// stdin: 00000000
// trigger stdin: 20260731
#include "search.h"

static int digit(int c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

int main(int argc, char **argv)
{
	char *pool = pool_create(argv[argc - 1]);
	uint32_t number = 0;

	SAVE(pool, 1);
	for (int i = 0; i < 8; i++) {
		int d = digit(getchar());

		if (d < 0)
			return 0;
		number = number << 4 | (uint32_t)d;
	}
	if (number == 0x20260731)
		ST8(pool, 2); //! missing-flush error
	return 0;
}
