/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mapped_file.c - the input is a mapped file. */
// symbolic: file:data
// arguments: data pool
// file: data 0123456789
// trigger file: data 012345q\x99!z
#include "search.h"

int main(int argc, char **argv)
{
	char *pool = pool_create(argv[argc - 1]);
	size_t size;
	const uint8_t *data = file_view(argv[1], &size);

	SAVE(pool, 1);
	if (size > 8 && data[6] == 'q' && (data[7] ^ data[8]) == 0xb8)
		ST8(pool, 2); //! missing-flush error
	return 0;
}
