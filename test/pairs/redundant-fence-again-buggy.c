/* SPDX-License-Identifier: GPL-2.0-or-later */
/* redundant-fence-again-buggy.c - a fence right after a fence. */
#include "pair.h"

int main(int argc, char **argv)
{
	char *p = pool_create(argc > 1 ? argv[1] : "pool");

	ST8(p, 1);
	CLWB(p);
	SFENCE();
	SFENCE(); //! redundant-fence performance
	return 0;
}
