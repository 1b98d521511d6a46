/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dirty-overwrite-nt-buggy.c - over a non-temporal store that was not fenced. */
#include "pair.h"

int main(int argc, char **argv)
{
	char *p = pool_create(argc > 1 ? argv[1] : "pool");

	NT8(p, 1);
	NT8(p, 2); //! dirty-overwrite warning
	SFENCE();
	return 0;
}
