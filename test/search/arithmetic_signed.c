/* SPDX-License-Identifier: GPL-2.0-or-later */
/* arithmetic_signed.c - signed and unsigned comparisons of the same byte. */
// symbolic: stdin
// stdin: aa
// trigger stdin: \x85\xfb
#include "search.h"

int main(int argc, char **argv)
{
	char *pool = pool_create(argv[argc - 1]);
	int8_t bytes[2] = {0};

	SAVE(pool, 1);
	if (input_read(0, bytes, sizeof(bytes)) == sizeof(bytes) && bytes[0] < -120 && (uint8_t)bytes[0] > 0x84 &&
	    bytes[1] > -6 && bytes[1] < -4)
		ST8(pool, 2); //! missing-flush error
	return 0;
}
