/* SPDX-License-Identifier: GPL-2.0-or-later */
/* checksum_adler.c - a checksum of two sums, with remainders. */
// symbolic: stdin
// stdin: \x01\x00\x00\x00x
// trigger stdin: G\x01.\x03PQRS
#include "search.h"

int main(int argc, char **argv)
{
	char *pool = pool_create(argv[argc - 1]);
	uint8_t bytes[128];
	size_t size = input_read(0, bytes, sizeof(bytes));
	uint32_t wanted, a = 1, b = 0;

	SAVE(pool, 1);
	if (size < 8)
		return 0;
	memcpy(&wanted, bytes, sizeof(wanted));
	for (size_t at = sizeof(wanted); at < size; at++) {
		a = (a + bytes[at]) % 65521;
		b = (b + a) % 65521;
	}
	if (wanted == (b << 16 | a) && bytes[4] == 'P')
		ST8(pool, 2); //! missing-flush error
	return 0;
}
