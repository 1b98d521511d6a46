/* SPDX-License-Identifier: GPL-2.0-or-later */
/* positioned_reads.c - a file is read at places that it names itself. */
// symbolic: file:data
// arguments: data pool
// file: data \x01\x02\x03\x04\x05\x06\x07\x08
// trigger file: data \x03\x02\x03\x06\x05\x06U\x08
#include "search.h"

static int byte_at(int fd, off_t at)
{
	uint8_t byte;

	return pread(fd, &byte, 1, at) == 1 ? byte : -1;
}

int main(int argc, char **argv)
{
	char *pool = pool_create(argv[argc - 1]);
	int fd = open(argv[1], O_RDONLY), first = byte_at(fd, 0), second;

	SAVE(pool, 1);
	if (first != 3)
		return 0;
	second = byte_at(fd, first);
	if (second == 6 && byte_at(fd, second) == 'U')
		ST8(pool, 2); //! missing-flush error
	return 0;
}
