/* SPDX-License-Identifier: GPL-2.0-or-later */
/* struct_offsets.c - a header that says where a word is. */
// symbolic: stdin
// stdin: \x00\x00\x00\x00
// trigger stdin: IDX1\x08\x00\x03\x00key
#include "search.h"

int main(int argc, char **argv)
{
	static uint8_t bytes[1024];
	char *pool = pool_create(argv[argc - 1]);
	size_t size = input_read(0, bytes, sizeof(bytes));
	uint16_t offset, length;

	SAVE(pool, 1);
	if (size < 8 || memcmp(bytes, "IDX1", 4) != 0)
		return 0;
	memcpy(&offset, bytes + 4, sizeof(offset));
	memcpy(&length, bytes + 6, sizeof(length));
	if (offset < 8 || offset + length > (int)size)
		return 0;
	if (length == 3 && memcmp(bytes + offset, "key", 3) == 0)
		ST8(pool, 2); //! missing-flush error
	return 0;
}
