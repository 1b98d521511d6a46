/* SPDX-License-Identifier: GPL-2.0-or-later */
/* missing-fence-clflush-buggy.c - CLFLUSHOPT needs a fence, CLFLUSH needs none. */
#include "pair.h"

int main(int argc, char **argv)
{
	char *p = pool_create(argc > 1 ? argv[1] : "pool");

	ST8(p, 1); //! missing-fence error
	CLFLUSHOPT(p);
	return 0;
}
