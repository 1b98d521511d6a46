/* SPDX-License-Identifier: GPL-2.0-or-later */
/* both-platforms-fixed.c - see both-platforms-buggy.c. */
// run: --platform adr,eadr
#include "pair.h"

int main(int argc, char **argv)
{
	char *p = pool_create(argc > 1 ? argv[1] : "pool");

	ST8(p, 1);
	CHECK(msync(p, PAGE, MS_SYNC) == 0);
	return 0;
}
