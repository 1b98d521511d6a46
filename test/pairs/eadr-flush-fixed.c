/* SPDX-License-Identifier: GPL-2.0-or-later */
/* eadr-flush-fixed.c - see eadr-flush-buggy.c. */
// run: --platform eadr
#include "pair.h"

int main(int argc, char **argv)
{
	char *p = pool_create(argc > 1 ? argv[1] : "pool");

	ST8(p, 1);
	ST8(p, 2);
	return 0;
}
