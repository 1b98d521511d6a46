/* SPDX-License-Identifier: GPL-2.0-or-later */
/* missing-fence-clflush-fixed.c - see missing-fence-clflush-buggy.c. */
#include "pair.h"

int main(int argc, char **argv)
{
	char *p = pool_create(argc > 1 ? argv[1] : "pool");

	ST8(p, 1);
	CLFLUSH(p);
	return 0;
}
