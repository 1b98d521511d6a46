/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dirty-overwrite-chain-buggy.c - three values, of which the last is written back: the others are steps toward it, not
 * volatile data. */
#include "pair.h"

int main(int argc, char **argv)
{
	char *p = pool_create(argc > 1 ? argv[1] : "pool");

	ST8(p, 1);
	ST8(p, 2); //! dirty-overwrite warning
	ST8(p, 3); //! dirty-overwrite warning
	CLWB(p);
	SFENCE();
	return 0;
}
