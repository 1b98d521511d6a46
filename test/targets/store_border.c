/* SPDX-License-Identifier: GPL-2.0-or-later */
/* store_border.c - of a store across the border of PM the part inside is recorded, whatever the instruction. */
#include "target.h"

static void stosq(char *to, unsigned long n)
{
	__asm__ volatile("rep stosq" : "+D"(to), "+c"(n) : "a"(0x8877665544332211) : "memory");
}

static void lock_or(char *p)
{
	__asm__ volatile("lock; orq %1, (%0)" : : "r"(p), "r"(0x8877665544332211) : "memory");
}

int main(int argc, char **argv)
{
	char *p;

	CHECK(argc == 2);
	CHECK(mmap((void *)(POOL_ADDR - PAGE), POOL_BYTES + 2 * PAGE, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED);
	p = pool_create(argv[1]);
	begin(p);

	ST8(p - 6, 0x8877665544332211); //! store pool+0x0 2 0x8877
	stosq(p - 5, 2);
	//! store pool+0x0 3 0x887766
	//! repstore pool+0x3 8 0x8877665544332211
	lock_or(p - 4); //! lockstore pool+0x0 4 *

	end(p);
	stosq(p + POOL_BYTES - 12, 2); /* over the mark of the end */
	return 0;
}
