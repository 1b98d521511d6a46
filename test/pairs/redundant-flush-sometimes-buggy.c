/* SPDX-License-Identifier: GPL-2.0-or-later */
/* redundant-flush-sometimes-buggy.c - a flush that is needless 19 times, and needed the 20th time. */
#include "pair.h"

int main(int argc, char **argv)
{
	char *p = pool_create(argc > 1 ? argv[1] : "pool");

	for (int i = 0; i < 20; i++) {
		if (i == 19)
			ST8(p, 1);
		CLWB(p); //! redundant-flush warning
		SFENCE();
	}
	return 0;
}
