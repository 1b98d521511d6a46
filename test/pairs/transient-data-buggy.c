/* SPDX-License-Identifier: GPL-2.0-or-later */
/* transient-data-buggy.c - a counter that nothing ever flushes. */
#include "pair.h"

int main(int argc, char **argv)
{
	char *p = pool_create(argc > 1 ? argv[1] : "pool");

	ST8(p, 1);
	CLWB(p);
	SFENCE();
	for (int i = 0; i < 3; i++)
		ST8(p + LINE, i); //! transient-data warning
	return 0;
}
