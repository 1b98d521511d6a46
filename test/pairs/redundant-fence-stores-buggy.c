/* SPDX-License-Identifier: GPL-2.0-or-later */
/* redundant-fence-stores-buggy.c - a fence between store and flush persists nothing, but may be meant for somebody
 * else. */
#include "pair.h"

int main(int argc, char **argv)
{
	char *p = pool_create(argc > 1 ? argv[1] : "pool");

	ST8(p, 1);
	SFENCE(); //! redundant-fence warning
	CLWB(p);
	SFENCE();
	return 0;
}
