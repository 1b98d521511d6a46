/* SPDX-License-Identifier: GPL-2.0-or-later */
/* missing-fence-lfence-buggy.c - LFENCE orders no write-back; MFENCE does. */
#include "pair.h"

int main(int argc, char **argv)
{
	char *p = pool_create(argc > 1 ? argv[1] : "pool");

	ST8(p, 1); //! missing-fence error
	CLWB(p);
	LFENCE();
	return 0;
}
