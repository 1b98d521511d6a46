/* SPDX-License-Identifier: GPL-2.0-or-later */
/* missing-flush-copy-buggy.c - a copy of many stores, of which the first line is flushed: one finding, at the line that
 * called memcpy. */
#include "pair.h"

int main(int argc, char **argv)
{
	char *p = pool_create(argc > 1 ? argv[1] : "pool");
	char from[4 * LINE];

	memset(from, 7, sizeof(from));
	for (int i = 0; i < 2; i++) {
		memcpy(p + i * PAGE, from, sizeof(from)); //! missing-flush error
		for (int k = 0; k < (i ? 1 : 4); k++)
			CLWB(p + i * PAGE + k * LINE);
		SFENCE();
	}
	return 0;
}
