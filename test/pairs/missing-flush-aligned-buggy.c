/* SPDX-License-Identifier: GPL-2.0-or-later */
/* missing-flush-aligned-buggy.c - a flush works on the line that its address is in: the last byte of a line will do,
 * the first of the next will not. */
#include "pair.h"

int main(int argc, char **argv)
{
	char *p = pool_create(argc > 1 ? argv[1] : "pool");

	ST8(p, 1);
	CLWB(p);
	SFENCE();
	ST8(p, 2); //! missing-flush error
	ST8(p + LINE, 2);
	CLWB(p + LINE);
	SFENCE();
	return 0;
}
