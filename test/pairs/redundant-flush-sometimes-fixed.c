/* SPDX-License-Identifier: GPL-2.0-or-later */
/* redundant-flush-sometimes-fixed.c - see redundant-flush-sometimes-buggy.c. */
#include "pair.h"

int main(int argc, char **argv)
{
	char *p = pool_create(argc > 1 ? argv[1] : "pool");

	for (int i = 0; i < 20; i++) {
		if (i != 19)
			continue;
		ST8(p, 1);
		CLWB(p);
		SFENCE();
	}
	return 0;
}
