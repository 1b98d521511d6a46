/* SPDX-License-Identifier: GPL-2.0-or-later */
/* missing-flush-site-buggy.c - the same code flushes what it stores, but not the last time; the last line is never
 * flushed. */
#include "pair.h"

int main(int argc, char **argv)
{
	char *p = pool_create(argc > 1 ? argv[1] : "pool");

	for (int i = 0; i < 4; i++) {
		ST8(p + i * LINE, i + 1); //! missing-flush error
		if (i < 3) {
			CLWB(p + i * LINE);
			SFENCE();
		}
	}
	return 0;
}
