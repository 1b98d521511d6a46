/* SPDX-License-Identifier: GPL-2.0-or-later */
/* unordered-range-buggy.c - the lines of one range may reach media in any order: that is what a range flush is. */
#include "pair.h"

int main(int argc, char **argv)
{
	char *p = pool_create(argc > 1 ? argv[1] : "pool");

	for (int i = 0; i < 4; i++)
		ST8(p + i * LINE, 1);
	for (int i = 0; i < 4; i++)
		CLWB(p + i * LINE);
	ST8(p + PAGE, 1);
	CLWB(p + PAGE);
	SFENCE(); //! unordered-flushes warning
	return 0;
}
