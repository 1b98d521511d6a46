/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dirty-overwrite-neighbor-buggy.c - beside is not over. */
#include "pair.h"

int main(int argc, char **argv)
{
	char *p = pool_create(argc > 1 ? argv[1] : "pool");

	ST4(p, 1);
	ST4(p + 2, 0x10001); //! dirty-overwrite warning
	CLWB(p);
	SFENCE();
	return 0;
}
