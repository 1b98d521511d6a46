/* SPDX-License-Identifier: GPL-2.0-or-later */
/* parse_utf8.c - characters of one to four bytes. */
// symbolic: stdin
// stdin: a
// trigger stdin: \xf0\x9f\x98\x80
#include "search.h"

/* The bytes of the character that begins with this one, and the bits that it has. */
static size_t character_size(uint8_t first, uint32_t *bits)
{
	static const struct {
		uint8_t mask, is;
	} kinds[] = {{0x80, 0}, {0xe0, 0xc0}, {0xf0, 0xe0}, {0xf8, 0xf0}};

	for (size_t i = 0; i < 4; i++)
		if ((first & kinds[i].mask) == kinds[i].is) {
			*bits = first & (uint8_t)~kinds[i].mask;
			return i + 1;
		}
	return 0;
}

int main(int argc, char **argv)
{
	char *pool = pool_create(argv[argc - 1]);
	uint8_t bytes[64];
	size_t size = input_read(0, bytes, sizeof(bytes)), more;
	uint32_t character;

	SAVE(pool, 1);
	for (size_t at = 0; at < size; at += more) {
		more = character_size(bytes[at], &character);
		if (!more || at + more > size)
			return 0;
		for (size_t i = 1; i < more; i++) {
			if ((bytes[at + i] & 0xc0) != 0x80)
				return 0;
			character = character << 6 | (bytes[at + i] & 0x3f);
		}
		if (character == 0x1f600)
			ST8(pool, 2); //! missing-flush error
	}
	return 0;
}
