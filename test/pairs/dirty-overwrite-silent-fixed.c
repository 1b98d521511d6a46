/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dirty-overwrite-silent-fixed.c - see dirty-overwrite-silent-buggy.c. */
#include "pair.h"

int main(int argc, char **argv)
{
	char *p = pool_create(argc > 1 ? argv[1] : "pool");

	ST8(p, 1);
	ST4(p, 1);
	CLWB(p);
	SFENCE();
	return 0;
}
