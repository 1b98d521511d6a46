/* SPDX-License-Identifier: GPL-2.0-or-later */
/* redundant-flush-again-buggy.c - twice the same line, and nothing stored in between. */
#include "pair.h"

int main(int argc, char **argv)
{
	char *p = pool_create(argc > 1 ? argv[1] : "pool");

	ST8(p, 1);
	CLWB(p);
	SFENCE();
	CLWB(p); //! redundant-flush performance
	SFENCE();
	return 0;
}
