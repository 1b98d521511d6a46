/* SPDX-License-Identifier: GPL-2.0-or-later */
/* unordered-flushes-fixed.c - see unordered-flushes-buggy.c. */
#include "pair.h"

int main(int argc, char **argv)
{
	char *p = pool_create(argc > 1 ? argv[1] : "pool");

	ST8(p, 1);
	CLWB(p);
	SFENCE();
	ST8(p + LINE, 2);
	CLWB(p + LINE);
	SFENCE();
	return 0;
}
