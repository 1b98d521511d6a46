/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dirty-overwrite-chain-fixed.c - see dirty-overwrite-chain-buggy.c. */
#include "pair.h"

int main(int argc, char **argv)
{
	char *p = pool_create(argc > 1 ? argv[1] : "pool");

	ST8(p, 3);
	CLWB(p);
	SFENCE();
	return 0;
}
