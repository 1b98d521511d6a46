/* SPDX-License-Identifier: GPL-2.0-or-later */
/* missing-flush-msync-buggy.c - msync makes persistent what is in its range, and what was stored before it. */
#include "pair.h"

int main(int argc, char **argv)
{
	char *p = pool_create(argc > 1 ? argv[1] : "pool");

	ST8(p, 1);
	CHECK(msync(p, PAGE, MS_SYNC) == 0);
	ST8(p, 2); //! missing-flush error
	return 0;
}
