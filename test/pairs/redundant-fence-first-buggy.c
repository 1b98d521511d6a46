/* SPDX-License-Identifier: GPL-2.0-or-later */
/* redundant-fence-first-buggy.c - a fence before there is anything to wait for. */
#include "pair.h"

int main(int argc, char **argv)
{
	char *p = pool_create(argc > 1 ? argv[1] : "pool");

	MFENCE(); //! redundant-fence performance
	ST8(p, 1);
	CLWB(p);
	SFENCE();
	return 0;
}
