/* SPDX-License-Identifier: GPL-2.0-or-later */
/* missing-flush-straddle-fixed.c - see missing-flush-straddle-buggy.c. */
#include "pair.h"

int main(int argc, char **argv)
{
	char *p = pool_create(argc > 1 ? argv[1] : "pool");

	ST8(p + LINE - 4, 0x1122334455667788);
	for (int i = 0; i < 2; i++)
		CLWB(p + i * LINE);
	SFENCE();
	return 0;
}
