/* SPDX-License-Identifier: GPL-2.0-or-later */
/* shared-line-flush-fixed.c - see shared-line-flush-buggy.c. */
#include "pair.h"

int main(int argc, char **argv)
{
	char *p = pool_create(argc > 1 ? argv[1] : "pool");

	ST8(p, 1);
	CLWB(p);
	SFENCE();
	ST8(p + LINE + 8, 2);
	CLWB(p + LINE + 8);
	SFENCE();
	return 0;
}
