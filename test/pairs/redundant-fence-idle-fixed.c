/* SPDX-License-Identifier: GPL-2.0-or-later */
/* redundant-fence-idle-fixed.c - see redundant-fence-idle-buggy.c. */
#include "pair.h"

int main(int argc, char **argv)
{
	char *p = pool_create(argc > 1 ? argv[1] : "pool");
	char *v = volatile_create();

	ST8(p, 1);
	CLWB(p);
	SFENCE();
	LOCKED_ADD(v);
	return 0;
}
