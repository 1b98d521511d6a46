/* SPDX-License-Identifier: GPL-2.0-or-later */
/* struct_tags.c - records with a tag and a length; one of them counts only behind another one. */
// symbolic: stdin
// stdin: \x01\x02ab
// trigger stdin: \x03\x02Bx\x07\x0512345
#include "search.h"

int main(int argc, char **argv)
{
	char *pool = pool_create(argv[argc - 1]);
	uint8_t bytes[256];
	size_t size = input_read(0, bytes, sizeof(bytes));
	bool opened = false;

	SAVE(pool, 1);
	for (size_t at = 0; at + 2 <= size; at += 2 + bytes[at + 1]) {
		unsigned tag = bytes[at], length = bytes[at + 1];

		if (at + 2 + length > size)
			return 0;
		if (tag == 7 && length == 5 && opened)
			ST8(pool, 2); //! missing-flush error
		if (tag == 3 && length >= 2 && bytes[at + 2] == 'B')
			opened = true;
	}
	return 0;
}
