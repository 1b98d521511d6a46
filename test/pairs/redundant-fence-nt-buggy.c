/* SPDX-License-Identifier: GPL-2.0-or-later */
/* redundant-fence-nt-buggy.c - a non-temporal store is something to wait for, also where it changes nothing. */
#include "pair.h"

int main(int argc, char **argv)
{
	char *p = pool_create(argc > 1 ? argv[1] : "pool");

	NT8(p, 1);
	SFENCE();
	SFENCE(); //! redundant-fence performance
	return 0;
}
