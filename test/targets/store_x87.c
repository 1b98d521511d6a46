/* SPDX-License-Identifier: GPL-2.0-or-later */
/* store_x87.c - stores of the floating-point stack and of control words. */
#include "target.h"

int main(int argc, char **argv)
{
	char *p;
	double minus_two = -2.0;
	uint16_t cw = 0x37f;
	uint32_t csr = 0x1f80;

	CHECK(argc == 2);
	p = pool_create(argv[1]);
	begin(p);

	__asm__ volatile("fldl %1; fsts (%0); fstp %%st"
			 :
			 : "r"(p), "m"(minus_two)
			 : "st", "memory"); //! store pool+0x0 4 0xc0000000
	__asm__ volatile("fldl %1; fstps (%0)"
			 :
			 : "r"(p + 4), "m"(minus_two)
			 : "st", "memory"); //! store pool+0x4 4 0xc0000000
	__asm__ volatile("fldl %1; fstl (%0); fstp %%st" : : "r"(p + 8), "m"(minus_two) : "st", "memory");
	//! store pool+0x8 8 0xc000000000000000
	__asm__ volatile("fldl %1; fstpl (%0)" : : "r"(p + 0x3c), "m"(minus_two) : "st", "memory");
	//! store pool+0x3c 8 0xc000000000000000
	__asm__ volatile("fldl %1; fstpt (%0)" : : "r"(p + 0x50), "m"(minus_two) : "st", "memory");
	//! store pool+0x50 10 000000000000008000c0
	__asm__ volatile("fldl %1; fstpt (%0)" : : "r"(p + 0x7b), "m"(minus_two) : "st", "memory");
	//! store pool+0x7b 10 000000000000008000c0
	__asm__ volatile("fldl %1; fistps (%0)"
			 :
			 : "r"(p + 0xa0), "m"(minus_two)
			 : "st", "memory"); //! store pool+0xa0 2 0xfffe
	__asm__ volatile("fldl %1; fistpl (%0)"
			 :
			 : "r"(p + 0xa4), "m"(minus_two)
			 : "st", "memory"); //! store pool+0xa4 4 0xfffffffe
	__asm__ volatile("fldl %1; fistpll (%0)" : : "r"(p + 0xa8), "m"(minus_two) : "st", "memory");
	//! store pool+0xa8 8 0xfffffffffffffffe
	__asm__ volatile("fldcw %1; fnstcw (%0)" : : "r"(p + 0xb0), "m"(cw) : "memory"); //! store pool+0xb0 2 0x37f
	__asm__ volatile("ldmxcsr %1; stmxcsr (%0)"
			 :
			 : "r"(p + 0xb4), "m"(csr)
			 : "memory"); //! store pool+0xb4 4 0x1f80

	end(p);
	CHECK(load8(p + 8) == 0xc000000000000000);
	return 0;
}
