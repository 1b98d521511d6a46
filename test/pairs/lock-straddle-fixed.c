/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lock-straddle-fixed.c - see lock-straddle-buggy.c. */
#include "pair.h"

int main(int argc, char **argv)
{
	char *p = pool_create(argc > 1 ? argv[1] : "pool"), *v = volatile_create();
	char *taken = v + LINE - 8, *owner = v + LINE, *value = p + LINE + 8;

	for (int i = 1; i < 4; i++) {
		LOCKED_ADD(taken);
		ST8(value, i);
		CLWB(value);
		SFENCE();
		ST8(owner, i);
	}
	return 0;
}
