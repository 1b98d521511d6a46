/* SPDX-License-Identifier: GPL-2.0-or-later */
/* transient-overwritten-fixed.c - see transient-overwritten-buggy.c. */
#include "pair.h"

static uint64_t busy, users;

int main(int argc, char **argv)
{
	char *p = pool_create(argc > 1 ? argv[1] : "pool");

	for (int i = 0; i < 5; i++) {
		ST8(&busy, 1);
		ST8(&users, users + 1);
		ST8(p, i + 1);
		CLWB(p);
		SFENCE();
		ST8(&users, users - 1);
		ST8(&busy, 0);
	}
	return 0;
}
