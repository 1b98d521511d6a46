/* SPDX-License-Identifier: GPL-2.0-or-later */
/* variant.h - the same program for every way to link it; see variant_*.c. */
#include "target.h"

static __attribute__((noinline)) void put(char *p, unsigned long value)
{
	ST8(p, value);
	CLWB(p + 1);
	SFENCE();
}

int main(int argc, char **argv)
{
	char *p;

	CHECK(argc == 2);
	p = pool_create(argv[1]);
	begin(p);
	put(p, 0x1234);
	//! store pool+0x0 8 0x1234
	//! clwb pool+0x1
	//! sfence
	put(p + 64, 0x5678);
	//! store pool+0x40 8 0x5678
	//! clwb pool+0x41
	//! sfence
	end(p);
	return 0;
}
