/* SPDX-License-Identifier: GPL-2.0-or-later */
/* missing-flush-line-fixed.c - see missing-flush-line-buggy.c. */
#include "pair.h"

int main(int argc, char **argv)
{
	char *p = pool_create(argc > 1 ? argv[1] : "pool");

	ST8(p, 1);
	CLWB(p);
	SFENCE();
	ST8(p, 2);
	CLWB(p);
	SFENCE();
	return 0;
}
