/* SPDX-License-Identifier: GPL-2.0-or-later */
/* redundant-flush-twice-buggy.c - twice before the fence. */
#include "pair.h"

int main(int argc, char **argv)
{
	char *p = pool_create(argc > 1 ? argv[1] : "pool");

	ST8(p, 1);
	CLWB(p);
	CLWB(p); //! redundant-flush performance
	SFENCE();
	return 0;
}
