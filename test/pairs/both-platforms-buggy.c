/* SPDX-License-Identifier: GPL-2.0-or-later */
/* both-platforms-buggy.c - each finding says where it holds: what ADR demands, eADR does not. */
// run: --platform adr,eadr
#include "pair.h"

int main(int argc, char **argv)
{
	char *p = pool_create(argc > 1 ? argv[1] : "pool");

	ST8(p, 1);
	CHECK(msync(p, PAGE, MS_SYNC) == 0);
	ST8(p, 2); //! missing-flush error adr
	return 0;
}
