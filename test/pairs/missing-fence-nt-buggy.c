/* SPDX-License-Identifier: GPL-2.0-or-later */
/* missing-fence-nt-buggy.c - a non-temporal store needs a fence, and no flush. */
#include "pair.h"

int main(int argc, char **argv)
{
	char *p = pool_create(argc > 1 ? argv[1] : "pool");

	NT8(p, 1); //! missing-fence error
	return 0;
}
