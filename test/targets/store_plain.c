/* SPDX-License-Identifier: GPL-2.0-or-later */
/* store_plain.c - stores of 1 to 8 bytes, by every kind of instruction that writes its memory operand. */
#include "target.h"

int main(int argc, char **argv)
{
	char *p;

	CHECK(argc == 2);
	p = pool_create(argv[1]);
	begin(p);

	ST1(p, 0x11);                    //! store pool+0x0 1 0x11
	ST2(p + 2, 0x2222);              //! store pool+0x2 2 0x2222
	ST4(p + 4, 0x33333333);          //! store pool+0x4 4 0x33333333
	ST8(p + 8, 0x4444444444444444);  //! store pool+0x8 8 0x4444444444444444
	ST8(p + 16, 0);                  //! store pool+0x10 8 0x0
	ST1(p + 24, 0);                  //! store pool+0x18 1 0x0
	ST8(p + 32, 0x0100000000000000); //! store pool+0x20 8 0x100000000000000
	ST8(p + 40, ~0ul);               //! store pool+0x28 8 0xffffffffffffffff

	/* unaligned; across an 8-byte unit, a line, a page */
	ST2(p + 0x81, 0xabcd);              //! store pool+0x81 2 0xabcd
	ST4(p + 0x86, 0x1020304);           //! store pool+0x86 4 0x1020304
	ST8(p + 0xbc, 0x102030405060708);   //! store pool+0xbc 8 0x102030405060708
	ST2(p + 0xff, 0x55aa);              //! store pool+0xff 2 0x55aa
	ST4(p + 0x13f, 0x99);               //! store pool+0x13f 4 0x99
	ST8(p + 0xffd, 0x1122334455667788); //! store pool+0xffd 8 0x1122334455667788
	ST2(p + 0x1fff, 0xbeef);            //! store pool+0x1fff 2 0xbeef

	/* immediates, high byte register, extended registers */
	__asm__ volatile("movb $0x7f, 0x200(%0)" : : "r"(p) : "memory"); //! store pool+0x200 1 0x7f
	__asm__ volatile("movq $-1, 0x208(%0)" : : "r"(p) : "memory");   //! store pool+0x208 8 0xffffffffffffffff
	__asm__ volatile("mov $0x1234, %%eax; movb %%ah, 0x210(%0)"
			 :
			 : "r"(p)
			 : "eax", "memory"); //! store pool+0x210 1 0x12
	__asm__ volatile("mov $0x77, %%r9d; mov %0, %%r13; movb %%r9b, 0x218(%%r13)"
			 :
			 : "r"(p)
			 : "r9", "r13", "memory");
	//! store pool+0x218 1 0x77

	/* read-modify-write without lock: plain stores */
	__asm__ volatile("movl $5, 0x240(%0)" : : "r"(p) : "memory");       //! store pool+0x240 4 0x5
	__asm__ volatile("addl $3, 0x240(%0)" : : "r"(p) : "memory");       //! store pool+0x240 4 0x8
	__asm__ volatile("incw 0x240(%0)" : : "r"(p) : "memory", "cc");     //! store pool+0x240 2 0x9
	__asm__ volatile("negb 0x240(%0)" : : "r"(p) : "memory", "cc");     //! store pool+0x240 1 0xf7
	__asm__ volatile("notq 0x240(%0)" : : "r"(p) : "memory");           //! store pool+0x240 8 0xffffffffffffff08
	__asm__ volatile("shlq $8, 0x240(%0)" : : "r"(p) : "memory", "cc"); //! store pool+0x240 8 0xffffffffffff0800
	__asm__ volatile("btsl $0, 0x240(%0)" : : "r"(p) : "memory", "cc"); //! store pool+0x240 4 0xffff0801
	__asm__ volatile("mov $1, %%eax; xaddl %%eax, 0x240(%0)" : : "r"(p) : "eax", "memory", "cc");
	//! store pool+0x240 4 0xffff0802
	__asm__ volatile("stc; sete 0x248(%0); setc 0x249(%0)" : : "r"(p) : "memory", "cc");
	//! store pool+0x248 1 *
	//! store pool+0x249 1 0x1
	__asm__ volatile("mov $0x2a, %%eax; push %%rax; popq 0x250(%0)"
			 :
			 : "r"(p)
			 : "eax", "memory"); //! store pool+0x250 8 0x2a
	/* an unlocked compare that fails writes the old value back, as the processor does */
	__asm__ volatile("mov $7, %%eax; mov $9, %%ecx; cmpxchgq %%rcx, 0x250(%0)"
			 :
			 : "r"(p)
			 : "eax", "ecx", "memory", "cc");
	//! store pool+0x250 8 0x2a
	__asm__ volatile("mov $0x2a, %%eax; mov $9, %%ecx; cmpxchgq %%rcx, 0x250(%0)"
			 :
			 : "r"(p)
			 : "eax", "ecx", "memory", "cc");
	//! store pool+0x250 8 0x9

	/* addressing: index and scale, negative displacement, absolute */
	__asm__ volatile("movb $1, 0x10(%0,%1,8)" : : "r"(p), "r"(0x50ul) : "memory"); //! store pool+0x290 1 0x1
	__asm__ volatile("movb $2, -0x8(%0)" : : "r"(p + 0x2a0) : "memory");           //! store pool+0x298 1 0x2
	__asm__ volatile("movabs $0x1000002a0, %%rax; movb $3, (%%rax)"
			 :
			 :
			 : "rax", "memory");                                                //! store pool+0x2a0 1 0x3
	__asm__ volatile("mov $4, %%eax; movabs %%eax, 0x1000002a8" : : : "rax", "memory"); //! store pool+0x2a8 4 0x4

	/* string instructions without rep are plain */
	__asm__ volatile("mov %0, %%rdi; mov $0x61, %%eax; stosb"
			 :
			 : "r"(p + 0x300)
			 : "rdi", "rax", "memory"); //! store pool+0x300 1 0x61
	__asm__ volatile("mov %0, %%rdi; mov %1, %%rsi; movsq" : : "r"(p + 0x308), "r"(p + 8) : "rdi", "rsi", "memory");
	//! store pool+0x308 8 0x4444444444444444

	end(p);
	CHECK(load8(p + 0xffd) == 0x1122334455667788);
	CHECK(load8(p + 0x250) == 9);
	return 0;
}
