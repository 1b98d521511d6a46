/* SPDX-License-Identifier: GPL-2.0-or-later */
/* unordered-flushes-buggy.c - one fence for two objects: either can be on media without the other. */
#include "pair.h"

int main(int argc, char **argv)
{
	char *p = pool_create(argc > 1 ? argv[1] : "pool");

	ST8(p, 1);
	CLWB(p);
	ST8(p + LINE, 2);
	CLWB(p + LINE);
	SFENCE(); //! unordered-flushes warning
	return 0;
}
