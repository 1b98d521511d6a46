/* SPDX-License-Identifier: GPL-2.0-or-later */
/* transient-unlinked-buggy.c - a file without a name cannot be opened again: what is left in it is no loss. */
#include "pair.h"

int main(int argc, char **argv)
{
	char *p = pool_create(argc > 1 ? argv[1] : "pool");

	ST8(p, 1); //! transient-data warning
	return 0;
}
