/* SPDX-License-Identifier: GPL-2.0-or-later */
/* two-kinds-buggy.c - two mistakes on one line of source are two findings. */
#include "pair.h"

int main(int argc, char **argv)
{
	char *p = pool_create(argc > 1 ? argv[1] : "pool");
	char *v = volatile_create();
	char *where[] = {p, p, v};

	ST8(p, 1);
	for (int i = 0; i < 3; i++)
		CLWB(where[i]); //! redundant-flush warning; flush-volatile performance
	SFENCE();
	return 0;
}
