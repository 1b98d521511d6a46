/* SPDX-License-Identifier: GPL-2.0-or-later */
/* missing-flush-seldom-fixed.c - see missing-flush-seldom-buggy.c. */
#include "pair.h"

static uint64_t hits;

int main(int argc, char **argv)
{
	char *p = pool_create(argc > 1 ? argv[1] : "pool");

	for (int i = 0; i < 214; i++) {
		ST8(&hits, hits + 1);
		if (i % 60 != 20)
			continue;
		ST8(p, i);
		CLWB(p);
		SFENCE();
	}
	return 0;
}
