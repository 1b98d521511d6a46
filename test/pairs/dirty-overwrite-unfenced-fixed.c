/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dirty-overwrite-unfenced-fixed.c - see dirty-overwrite-unfenced-buggy.c. */
#include "pair.h"

int main(int argc, char **argv)
{
	char *p = pool_create(argc > 1 ? argv[1] : "pool");

	ST8(p, 1);
	CLFLUSH(p);
	ST8(p, 2);
	CLFLUSH(p);
	return 0;
}
