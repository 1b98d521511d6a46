/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dirty-overwrite-buggy.c - another value over one that was not yet written back. */
#include "pair.h"

int main(int argc, char **argv)
{
	char *p = pool_create(argc > 1 ? argv[1] : "pool");

	ST8(p, 1);
	ST8(p, 2); //! dirty-overwrite warning
	CLWB(p);
	SFENCE();
	return 0;
}
