/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lock-straddle-buggy.c - a lock that lies across two lines, of which one has data as well.  As in
 * lock-in-pool-buggy.c, that it is not flushed at the end is no error, also of its part beside the data. */
#include "pair.h"

int main(int argc, char **argv)
{
	char *p = pool_create(argc > 1 ? argv[1] : "pool");
	char *taken = p + LINE - 8, *owner = p + LINE, *value = p + LINE + 8;

	for (int i = 1; i < 4; i++) {
		LOCKED_ADD(taken); //! transient-data warning
		ST8(value, i);
		CLWB(value);
		SFENCE();
		ST8(owner, i); //! transient-data warning
	}
	return 0;
}
