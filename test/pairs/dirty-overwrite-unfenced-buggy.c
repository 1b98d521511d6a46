/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dirty-overwrite-unfenced-buggy.c - written back, but not fenced when it is overwritten.  CLFLUSH is in order without
 * a fence. */
#include "pair.h"

int main(int argc, char **argv)
{
	char *p = pool_create(argc > 1 ? argv[1] : "pool");

	ST8(p, 1);
	CLWB(p);
	ST8(p, 2); //! dirty-overwrite warning
	CLWB(p);
	SFENCE();
	return 0;
}
