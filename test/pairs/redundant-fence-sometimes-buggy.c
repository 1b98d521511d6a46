/* SPDX-License-Identifier: GPL-2.0-or-later */
/* redundant-fence-sometimes-buggy.c - a fence that has something to wait for once in five times. */
#include "pair.h"

int main(int argc, char **argv)
{
	char *p = pool_create(argc > 1 ? argv[1] : "pool");

	for (int i = 0; i < 5; i++) {
		if (i == 2) {
			ST8(p, 1);
			CLWB(p);
		}
		SFENCE(); //! redundant-fence warning
	}
	return 0;
}
