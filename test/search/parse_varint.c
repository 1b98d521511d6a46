/* SPDX-License-Identifier: GPL-2.0-or-later */
/* parse_varint.c - a number in groups of seven bits. */
// symbolic: stdin
// stdin: \x01
// trigger stdin: \x95\x9a\xef\x3a
#include "search.h"

int main(int argc, char **argv)
{
	char *pool = pool_create(argv[argc - 1]);
	uint8_t bytes[64];
	size_t size = input_read(0, bytes, sizeof(bytes));
	uint64_t value = 0;

	SAVE(pool, 1);
	for (size_t at = 0; at < size && at < 9; at++) {
		value |= (uint64_t)(bytes[at] & 0x7f) << 7 * at;
		if (!(bytes[at] & 0x80))
			break;
	}
	if (value == 123456789)
		ST8(pool, 2); //! missing-flush error
	return 0;
}
