/* SPDX-License-Identifier: GPL-2.0-or-later */
/* word_memcmp.c - sixteen bytes are compared at once. */
// symbolic: stdin
// stdin: 0123456789abcdef
// trigger stdin: \x89PNG\r\n\x1a\n0000IHDR
#include "search.h"

static const uint8_t signature[16] = "\x89PNG\r\n\x1a\n0000IHDR";

int main(int argc, char **argv)
{
	char *pool = pool_create(argv[argc - 1]);
	uint8_t bytes[16] = {0};

	SAVE(pool, 1);
	if (input_read(0, bytes, sizeof(bytes)) == sizeof(bytes) && !memcmp(bytes, signature, sizeof(bytes)))
		ST8(pool, 2); //! missing-flush error
	return 0;
}
