/* SPDX-License-Identifier: GPL-2.0-or-later */
/* redundant-flush-nt-buggy.c - a non-temporal store leaves nothing in the cache to flush. */
#include "pair.h"

int main(int argc, char **argv)
{
	char *p = pool_create(argc > 1 ? argv[1] : "pool");

	NT8(p, 1);
	CLWB(p); //! redundant-flush performance
	SFENCE();
	return 0;
}
