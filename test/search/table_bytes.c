/* SPDX-License-Identifier: GPL-2.0-or-later */
/* table_bytes.c - bytes are translated by a table before they are compared. */
// symbolic: stdin
// stdin: aaaa
// trigger stdin: \x05\x0c\x13\x1a
#include "search.h"

static uint8_t table[256];

int main(int argc, char **argv)
{
	char *pool = pool_create(argv[argc - 1]);
	uint8_t bytes[4] = {0};

	for (int i = 0; i < 256; i++)
		table[i] = (uint8_t)(i * 167 + 13); /* a permutation: 167 is odd */
	SAVE(pool, 1);
	if (input_read(0, bytes, sizeof(bytes)) != sizeof(bytes))
		return 0;
	for (int i = 0; i < 4; i++)
		if (table[bytes[i]] != (uint8_t)((5 + 7 * i) * 167 + 13))
			return 0;
	ST8(pool, 2); //! missing-flush error
	return 0;
}
