/* SPDX-License-Identifier: GPL-2.0-or-later */
/* missing-flush-line-buggy.c - the line is flushed at first, and after the second store no more. */
#include "pair.h"

int main(int argc, char **argv)
{
	char *p = pool_create(argc > 1 ? argv[1] : "pool");

	ST8(p, 1);
	CLWB(p);
	SFENCE();
	ST8(p, 2); //! missing-flush error
	return 0;
}
