/* SPDX-License-Identifier: GPL-2.0-or-later */
/* missing-flush-early-buggy.c - flushed before the store that was to be made persistent. */
#include "pair.h"

int main(int argc, char **argv)
{
	char *p = pool_create(argc > 1 ? argv[1] : "pool");

	ST8(p, 1);
	CLWB(p);
	ST8(p + 8, 2); //! missing-flush error
	SFENCE();
	return 0;
}
