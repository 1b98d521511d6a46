/* SPDX-License-Identifier: GPL-2.0-or-later */
/* missing-flush-atomic-fixed.c - see missing-flush-atomic-buggy.c. */
#include "pair.h"

int main(int argc, char **argv)
{
	char *p = pool_create(argc > 1 ? argv[1] : "pool");

	LOCKED_ADD(p);
	for (int i = 0; i < 4; i++) {
		ST8(p + 8, i + 1);
		CLWB(p + 8);
		SFENCE();
	}
	return 0;
}
