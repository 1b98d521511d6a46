/* SPDX-License-Identifier: GPL-2.0-or-later */
/* transient-unlinked-fixed.c - see transient-unlinked-buggy.c. */
#include "pair.h"

int main(int argc, char **argv)
{
	char *p = pool_create(argc > 1 ? argv[1] : "pool");

	CHECK(unlink(argv[1]) == 0);
	ST8(p, 1);
	return 0;
}
