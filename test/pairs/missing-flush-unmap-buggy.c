/* SPDX-License-Identifier: GPL-2.0-or-later */
/* missing-flush-unmap-buggy.c - unmapping makes nothing persistent, and the program goes on. */
#include "pair.h"

int main(int argc, char **argv)
{
	char *p = pool_create(argc > 1 ? argv[1] : "pool");

	ST8(p, 1);
	CLWB(p);
	SFENCE();
	ST8(p, 2); //! missing-flush error
	munmap(p, POOL_BYTES);
	puts("still here");
	return 0;
}
