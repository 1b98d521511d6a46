/* SPDX-License-Identifier: GPL-2.0-or-later */
/* flush-volatile-buggy.c - memory that is not persistent. */
#include "pair.h"

int main(int argc, char **argv)
{
	char *p = pool_create(argc > 1 ? argv[1] : "pool");
	char *v = volatile_create();

	ST8(v, 1);
	CLWB(v); //! flush-volatile performance
	SFENCE();
	ST8(p, 1);
	CLWB(p);
	SFENCE();
	return 0;
}
