/* SPDX-License-Identifier: GPL-2.0-or-later */
/* missing-fence-clwb-buggy.c - written back, and never fenced. */
#include "pair.h"

int main(int argc, char **argv)
{
	char *p = pool_create(argc > 1 ? argv[1] : "pool");

	ST8(p, 1); //! missing-fence error
	CLWB(p);
	return 0;
}
