/* SPDX-License-Identifier: GPL-2.0-or-later */
/* eadr-nt-buggy.c - non-temporal stores need a fence with persistent caches, too. */
// run: --platform eadr
#include "pair.h"

int main(int argc, char **argv)
{
	char *p = pool_create(argc > 1 ? argv[1] : "pool");

	NT8(p, 1); //! missing-fence error
	return 0;
}
