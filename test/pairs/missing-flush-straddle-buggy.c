/* SPDX-License-Identifier: GPL-2.0-or-later */
/* missing-flush-straddle-buggy.c - a store over the end of a line needs both lines flushed. */
#include "pair.h"

int main(int argc, char **argv)
{
	char *p = pool_create(argc > 1 ? argv[1] : "pool");

	ST8(p + LINE - 4, 0x1122334455667788); //! missing-flush error
	CLWB(p);
	SFENCE();
	return 0;
}
