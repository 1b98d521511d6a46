/* SPDX-License-Identifier: GPL-2.0-or-later */
/* transient-data-fixed.c - see transient-data-buggy.c. */
#include "pair.h"

int main(int argc, char **argv)
{
	char *p = pool_create(argc > 1 ? argv[1] : "pool");
	char *v = volatile_create();

	ST8(p, 1);
	CLWB(p);
	SFENCE();
	for (int i = 0; i < 3; i++)
		ST8(v, i);
	return 0;
}
