/* SPDX-License-Identifier: GPL-2.0-or-later */
/* missing-flush-alias-buggy.c - the file is mapped twice: a flush through one mapping writes back what was stored
 * through the other. */
#include "pair.h"

int main(int argc, char **argv)
{
	char *p = pool_create(argc > 1 ? argv[1] : "pool");
	int fd = open(argv[1], O_RDWR);
	char *q = file_map(fd, SECOND_ADDR, POOL_BYTES);

	ST8(p, 1);
	CLWB(p);
	SFENCE();
	ST8(p, 2); //! missing-flush error
	ST8(q + LINE, 2);
	CLWB(q + LINE);
	SFENCE();
	return 0;
}
