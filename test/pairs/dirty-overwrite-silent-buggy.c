/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dirty-overwrite-silent-buggy.c - the same value again is no new state. */
#include "pair.h"

int main(int argc, char **argv)
{
	char *p = pool_create(argc > 1 ? argv[1] : "pool");

	ST8(p, 1);
	ST4(p, 3); //! dirty-overwrite warning
	CLWB(p);
	SFENCE();
	return 0;
}
