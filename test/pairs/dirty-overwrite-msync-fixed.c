/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dirty-overwrite-msync-fixed.c - see dirty-overwrite-msync-buggy.c. */
#include "pair.h"

int main(int argc, char **argv)
{
	char *p = pool_create(argc > 1 ? argv[1] : "pool");

	for (int i = 1; i <= 2; i++) {
		ST8(p, (uint64_t)i);
		ST8(p, (uint64_t)i * 7);
		ST8(p, (uint64_t)i * 10);
		CHECK(msync(p, PAGE, MS_SYNC) == 0);
	}
	return 0;
}
