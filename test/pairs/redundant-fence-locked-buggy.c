/* SPDX-License-Identifier: GPL-2.0-or-later */
/* redundant-fence-locked-buggy.c - a locked instruction is never a redundant fence; a fence after one that completed
 * the flush is only doubtful. */
#include "pair.h"

int main(int argc, char **argv)
{
	char *p = pool_create(argc > 1 ? argv[1] : "pool");
	char *v = volatile_create();

	ST8(p, 1);
	CLWB(p);
	LOCKED_ADD(v);
	SFENCE(); //! redundant-fence warning
	return 0;
}
