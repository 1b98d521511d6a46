/* SPDX-License-Identifier: GPL-2.0-or-later */
/* redundant-fence-idle-buggy.c - a needless flush, and a lock that has waited for it: the fence behind them is only
 * doubtful. */
#include "pair.h"

int main(int argc, char **argv)
{
	char *p = pool_create(argc > 1 ? argv[1] : "pool");
	char *v = volatile_create();

	ST8(p, 1);
	CLWB(p);
	SFENCE();
	CLWB(p); //! redundant-flush performance
	LOCKED_ADD(v);
	SFENCE(); //! redundant-fence warning
	return 0;
}
