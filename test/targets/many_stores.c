/* SPDX-License-Identifier: GPL-2.0-or-later */
/* many_stores.c - argv[2] stores of 8 bytes that do not compress to nothing. */
#include "target.h"

int main(int argc, char **argv)
{
	char *p;
	unsigned long n, x = 88172645463325252ul;

	CHECK(argc == 3);
	n = strtoul(argv[2], NULL, 10);
	p = pool_create(argv[1]);
	for (unsigned long i = 0; i < n; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		ST8(p + (x & 0x3ff8), x);
	}
	puts("done");
	return 0;
}
