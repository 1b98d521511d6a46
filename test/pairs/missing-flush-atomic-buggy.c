/* SPDX-License-Identifier: GPL-2.0-or-later */
/* missing-flush-atomic-buggy.c - a line with an atomic counter may hold a lock, but code that flushes what it stores at
 * once, and once does not, is at fault there too. */
#include "pair.h"

int main(int argc, char **argv)
{
	char *p = pool_create(argc > 1 ? argv[1] : "pool");
	volatile int last = 3; /* so that the store is one instruction */

	LOCKED_ADD(p);
	for (int i = 0; i < 4; i++) {
		ST8(p + 8, i + 1); //! missing-flush error
		if (i != last) {
			CLWB(p + 8);
			SFENCE();
		}
	}
	return 0;
}
