/* SPDX-License-Identifier: GPL-2.0-or-later */
/* redundant-flush-clean-fixed.c - see redundant-flush-clean-buggy.c. */
#include "pair.h"

int main(int argc, char **argv)
{
	char *p = pool_create(argc > 1 ? argv[1] : "pool");

	ST8(p, 0);
	CLWB(p);
	SFENCE();
	return 0;
}
