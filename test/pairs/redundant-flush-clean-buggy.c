/* SPDX-License-Identifier: GPL-2.0-or-later */
/* redundant-flush-clean-buggy.c - a line that was never stored to.  Storing what is there already counts as storing. */
#include "pair.h"

int main(int argc, char **argv)
{
	char *p = pool_create(argc > 1 ? argv[1] : "pool");

	CLWB(p); //! redundant-flush performance
	SFENCE();
	return 0;
}
