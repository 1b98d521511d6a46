/* SPDX-License-Identifier: GPL-2.0-or-later */
/* missing-flush-alias-fixed.c - see missing-flush-alias-buggy.c. */
#include "pair.h"

int main(int argc, char **argv)
{
	char *p = pool_create(argc > 1 ? argv[1] : "pool");
	int fd = open(argv[1], O_RDWR);
	char *q = file_map(fd, SECOND_ADDR, POOL_BYTES);

	ST8(p, 1);
	CLWB(p);
	SFENCE();
	ST8(p, 2);
	CLWB(q);
	SFENCE();
	return 0;
}
