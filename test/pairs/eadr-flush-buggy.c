/* SPDX-License-Identifier: GPL-2.0-or-later */
/* eadr-flush-buggy.c - with persistent caches every flush is needless, and no store is lost without one. */
// run: --platform eadr
#include "pair.h"

int main(int argc, char **argv)
{
	char *p = pool_create(argc > 1 ? argv[1] : "pool");

	ST8(p, 1);
	CLWB(p); //! redundant-flush performance
	SFENCE();
	return 0;
}
