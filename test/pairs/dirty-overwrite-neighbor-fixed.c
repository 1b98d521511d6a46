/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dirty-overwrite-neighbor-fixed.c - see dirty-overwrite-neighbor-buggy.c. */
#include "pair.h"

int main(int argc, char **argv)
{
	char *p = pool_create(argc > 1 ? argv[1] : "pool");

	ST4(p, 1);
	ST4(p + 4, 0x10001);
	CLWB(p);
	SFENCE();
	return 0;
}
