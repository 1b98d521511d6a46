/* SPDX-License-Identifier: GPL-2.0-or-later */
/* unordered-range-fixed.c - see unordered-range-buggy.c. */
#include "pair.h"

int main(int argc, char **argv)
{
	char *p = pool_create(argc > 1 ? argv[1] : "pool");

	for (int i = 0; i < 4; i++)
		ST8(p + i * LINE, 1);
	for (int i = 0; i < 4; i++)
		CLWB(p + i * LINE);
	SFENCE();
	ST8(p + PAGE, 1);
	CLWB(p + PAGE);
	SFENCE();
	return 0;
}
