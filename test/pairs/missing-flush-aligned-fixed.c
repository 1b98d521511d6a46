/* SPDX-License-Identifier: GPL-2.0-or-later */
/* missing-flush-aligned-fixed.c - see missing-flush-aligned-buggy.c. */
#include "pair.h"

int main(int argc, char **argv)
{
	char *p = pool_create(argc > 1 ? argv[1] : "pool");

	ST8(p, 1);
	CLWB(p);
	SFENCE();
	ST8(p, 2);
	CLWB(p + LINE - 1);
	SFENCE();
	return 0;
}
