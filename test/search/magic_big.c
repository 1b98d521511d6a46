/* SPDX-License-Identifier: GPL-2.0-or-later */
/* magic_big.c - four bytes are one big-endian number, composed by shifts. */
// symbolic: stdin
// stdin: 0000
// trigger stdin: \xca\xfe\xba\xbe
#include "search.h"

static uint32_t big_endian(const uint8_t *bytes)
{
	return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

int main(int argc, char **argv)
{
	char *pool = pool_create(argv[argc - 1]);
	uint8_t bytes[4] = {0};

	SAVE(pool, 1);
	if (fread(bytes, 1, sizeof(bytes), stdin) == sizeof(bytes) && big_endian(bytes) == 0xcafebabe)
		ST8(pool, 2); //! missing-flush error
	return 0;
}
