/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dirty-overwrite-msync-buggy.c - a program that flushes counts on the order of what it stores; one that only calls
 * msync does not. */
#include "pair.h"

int main(int argc, char **argv)
{
	char *p = pool_create(argc > 1 ? argv[1] : "pool");

	for (int i = 1; i <= 2; i++) {
		ST8(p, (uint64_t)i);
		ST8(p, (uint64_t)i * 10); //! dirty-overwrite warning
		CLWB(p);
		SFENCE();
	}
	return 0;
}
