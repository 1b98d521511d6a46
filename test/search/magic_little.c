/* SPDX-License-Identifier: GPL-2.0-or-later */
/* magic_little.c - eight bytes are one little-endian number. */
// symbolic: stdin
// stdin: ........
// trigger stdin: \x88\x77\x66\x55\x44\x33\x22\x11
#include "search.h"

int main(int argc, char **argv)
{
	char *pool = pool_create(argv[argc - 1]);
	uint64_t magic = 0;

	SAVE(pool, 1);
	if (input_read(0, &magic, sizeof(magic)) == sizeof(magic) && magic == 0x1122334455667788)
		ST8(pool, 2); //! missing-flush error
	return 0;
}
