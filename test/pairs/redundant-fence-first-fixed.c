/* SPDX-License-Identifier: GPL-2.0-or-later */
/* redundant-fence-first-fixed.c - see redundant-fence-first-buggy.c. */
#include "pair.h"

int main(int argc, char **argv)
{
	char *p = pool_create(argc > 1 ? argv[1] : "pool");

	ST8(p, 1);
	CLWB(p);
	MFENCE();
	return 0;
}
