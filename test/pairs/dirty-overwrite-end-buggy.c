/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dirty-overwrite-end-buggy.c - a program that syncs step by step wants its steps on media; one that does so when all
 * is over does not. */
#include "pair.h"

int main(int argc, char **argv)
{
	char *p = pool_create(argc > 1 ? argv[1] : "pool");

	for (int i = 1; i <= 2; i++) {
		ST8(p, (uint64_t)i);
		ST8(p, (uint64_t)i * 10); //! dirty-overwrite warning
		CHECK(msync(p, PAGE, MS_SYNC) == 0);
	}
	return 0;
}
