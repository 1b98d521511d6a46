/* SPDX-License-Identifier: GPL-2.0-or-later */
/* checksum_crc32.c - a CRC by table follows four bytes of data. */
// symbolic: stdin
// stdin: 01234567
// trigger stdin: WIPE\x03\xb6\xd8\xb4
#include "search.h"

static uint32_t table[256];

static void table_make(void)
{
	for (uint32_t i = 0; i < 256; i++) {
		table[i] = i;
		for (int bit = 0; bit < 8; bit++)
			table[i] = table[i] >> 1 ^ (table[i] & 1 ? 0xedb88320 : 0);
	}
}

static uint32_t crc32(const uint8_t *data, size_t size)
{
	uint32_t crc = 0xffffffff;

	for (size_t i = 0; i < size; i++)
		crc = crc >> 8 ^ table[(crc ^ data[i]) & 0xff];
	return ~crc;
}

int main(int argc, char **argv)
{
	char *pool = pool_create(argv[argc - 1]);
	uint8_t data[8] = {0};
	uint32_t wanted;

	SAVE(pool, 1);
	table_make();
	if (input_read(0, data, sizeof(data)) != sizeof(data))
		return 0;
	memcpy(&wanted, data + 4, sizeof(wanted));
	if (crc32(data, 4) == wanted && !memcmp(data, "WIPE", 4))
		ST8(pool, 2); //! missing-flush error
	return 0;
}
