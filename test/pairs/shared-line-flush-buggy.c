/* SPDX-License-Identifier: GPL-2.0-or-later */
/* shared-line-flush-buggy.c - two objects on one line: the flush of the first wrote the second back too. */
#include "pair.h"

int main(int argc, char **argv)
{
	char *p = pool_create(argc > 1 ? argv[1] : "pool");

	ST8(p, 1);
	ST8(p + 8, 2);
	CLWB(p);
	CLWB(p + 8); //! shared-line-flush warning
	SFENCE();
	return 0;
}
