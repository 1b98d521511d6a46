/* SPDX-License-Identifier: GPL-2.0-or-later */
/* arithmetic_shift.c - rotations and shifts by an amount from the input. */
// symbolic: stdin
// stdin: aaaab
// trigger stdin: \x8d\xf0\xf5\xb8\x05
#include "search.h"

int main(int argc, char **argv)
{
	char *pool = pool_create(argv[argc - 1]);
	uint8_t bytes[5] = {0};
	uint32_t x;
	unsigned by;

	SAVE(pool, 1);
	if (input_read(0, bytes, sizeof(bytes)) != sizeof(bytes))
		return 0;
	memcpy(&x, bytes, sizeof(x));
	by = bytes[4] & 31;
	if (by == 5 && ((x << by | x >> (32 - by)) ^ x >> 3) == 0x09a0afa6)
		ST8(pool, 2); //! missing-flush error
	return 0;
}
