/* SPDX-License-Identifier: GPL-2.0-or-later */
/* missing-fence-locked-buggy.c - a locked instruction, also on volatile memory, completes the flushes before it. */
#include "pair.h"

int main(int argc, char **argv)
{
	char *p = pool_create(argc > 1 ? argv[1] : "pool");
	char *v = volatile_create();

	LOCKED_ADD(v);
	ST8(p, 1); //! missing-fence error
	CLWB(p);
	return 0;
}
