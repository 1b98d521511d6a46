/* SPDX-License-Identifier: GPL-2.0-or-later */
/* missing-fence-after-buggy.c - the fence stands before the flush. */
#include "pair.h"

int main(int argc, char **argv)
{
	char *p = pool_create(argc > 1 ? argv[1] : "pool");

	ST8(p, 1);
	CLWB(p);
	SFENCE();
	ST8(p, 2); //! missing-fence error
	CLWB(p);
	return 0;
}
