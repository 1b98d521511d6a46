/* SPDX-License-Identifier: GPL-2.0-or-later */
/* store_state.c - fxsave, xsave, fnsave and fnstenv into PM.
 *
 * How many events one of them makes is the emulator's affair (it saves in parts), and so are reserved bytes; what
 * counts is that the file can be rebuilt, so only the plain store after each is compared. */
// needs: xsave
// events: sfence
#include "target.h"

int main(int argc, char **argv)
{
	char *p;

	CHECK(argc == 2);
	p = pool_create(argv[1]);
	memset(p, 0xee, 0x3000);
	begin(p);
	__asm__ volatile("fldpi; fxsave (%0)" : : "r"(p) : "memory");
	SFENCE(); //! sfence
	__asm__ volatile("fxsave64 (%0); fstp %%st" : : "r"(p + 0x200) : "memory");
	mark(argv[1], p + 0x3000, 1);
	memset(p + 0x1000, 0, 0x1000);
	__asm__ volatile("mov $3, %%eax; xor %%edx, %%edx; xsave (%0)" : : "r"(p + 0x1000) : "rax", "rdx", "memory");
	__asm__ volatile("mov $7, %%eax; xor %%edx, %%edx; xsave (%0)" : : "r"(p + 0x1400) : "rax", "rdx", "memory");
	mark(argv[1], p + 0x3000, 2);
	__asm__ volatile("fnsave (%0); frstor (%0)" : : "r"(p + 0x2000) : "memory");
	__asm__ volatile("fnstenv (%0); fldenv (%0)" : : "r"(p + 0x2100) : "memory");
	end(p);
	CHECK(load8(p) != 0xeeeeeeeeeeeeeeee && load8(p + 0x1000) != 0);
	return 0;
}
