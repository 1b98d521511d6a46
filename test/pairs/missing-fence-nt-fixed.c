/* SPDX-License-Identifier: GPL-2.0-or-later */
/* missing-fence-nt-fixed.c - see missing-fence-nt-buggy.c. */
#include "pair.h"

int main(int argc, char **argv)
{
	char *p = pool_create(argc > 1 ? argv[1] : "pool");

	NT8(p, 1);
	SFENCE();
	return 0;
}
