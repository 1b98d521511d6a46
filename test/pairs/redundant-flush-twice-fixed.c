/* SPDX-License-Identifier: GPL-2.0-or-later */
/* redundant-flush-twice-fixed.c - see redundant-flush-twice-buggy.c. */
#include "pair.h"

int main(int argc, char **argv)
{
	char *p = pool_create(argc > 1 ? argv[1] : "pool");

	ST8(p, 1);
	CLWB(p);
	ST8(p + 8, 1);
	CLWB(p);
	SFENCE();
	return 0;
}
