/* SPDX-License-Identifier: GPL-2.0-or-later */
/* flush.c - clflush, clflushopt and clwb: exact addresses, every addressing form, inside and outside PM. */
// needs: clwb clflushopt
#include "target.h"

#include <asm/prctl.h>
#include <sys/syscall.h>

#define LOW_ADDR 0x70000000ul

#define FLUSH(operand, ...) __asm__ volatile("clwb " operand : : __VA_ARGS__)

static char area[2 * PAGE] __attribute__((aligned(4096)));

/* The three kinds, inside and outside PM: the address is exact. */
static void every_kind(char *p, char *v)
{
	CLFLUSH(p);            //! clflush pool+0x0
	CLFLUSH(p + 0x47);     //! clflush pool+0x47
	CLFLUSHOPT(p);         //! clflushopt pool+0x0
	CLFLUSHOPT(p + 0xfff); //! clflushopt pool+0xfff
	CLWB(p);               //! clwb pool+0x0
	CLWB(p + 0x1001);      //! clwb pool+0x1001
	CLFLUSH(v + 5);        //! clflush 0x200000005 volatile
	CLFLUSHOPT(v + 0x41);  //! clflushopt 0x200000041 volatile
	CLWB(v);               //! clwb 0x200000000 volatile
}

/* Displacements of 8 and 32 bits, negative too; index and scale; no base. */
static void every_form(char *p)
{
	FLUSH("0x7f(%0)", "r"(p));                 //! clwb pool+0x7f
	FLUSH("-0x80(%0)", "r"(p + 0x100));        //! clwb pool+0x80
	FLUSH("0x80(%0)", "r"(p));                 //! clwb pool+0x80
	FLUSH("-0x123(%0)", "r"(p + 0x1000));      //! clwb pool+0xedd
	FLUSH("(%0,%1)", "r"(p), "r"(0x11ul));     //! clwb pool+0x11
	FLUSH("(%0,%1,2)", "r"(p), "r"(0x11ul));   //! clwb pool+0x22
	FLUSH("8(%0,%1,4)", "r"(p), "r"(0x11ul));  //! clwb pool+0x4c
	FLUSH("0x200(%0,%1,8)", "r"(p), "r"(-2l)); //! clwb pool+0x1f0
	FLUSH("(,%0,8)", "r"(POOL_ADDR / 8 + 3));  //! clwb pool+0x18
	FLUSH("0x10(,%0,4)", "r"(POOL_ADDR / 4));  //! clwb pool+0x10
	FLUSH("0x70000009");                       //! clwb pool+0x9
	__asm__ volatile("clflush 0x7000000a");    //! clflush pool+0xa
	__asm__ volatile("mov %0, %%r12; mov $2, %%r13; clflushopt 1(%%r12,%%r13,8)"
			 :
			 : "r"(p)
			 : "r12", "r13", "memory");
	//! clflushopt pool+0x11
	__asm__ volatile("mov %0, %%r8; mov $2, %%r9; clflush 1(%%r8,%%r9,8)" : : "r"(p) : "r8", "r9", "memory");
	//! clflush pool+0x11
	/* r12 can be an index, only rsp cannot */
	__asm__ volatile("mov %0, %%rax; mov $1, %%r12; clwb (%%rax,%%r12,4)"
			 :
			 : "r"(p)
			 : "rax", "r12", "memory"); //! clwb pool+0x4
}

/* Each register as base. */
static void every_register(char *p)
{
	register char *a __asm__("rax") = p;

	__asm__ volatile("clwb 1(%%rax)" : : "r"(a) : "memory");
#define USE(reg, disp) __asm__ volatile("mov %0, %%" reg "; clwb " disp "(%%" reg ")" : : "r"(p) : reg, "memory")
	USE("rbx", "2");
	USE("rcx", "3");
	USE("rdx", "4");
	USE("rsi", "5");
	USE("rdi", "6");
	USE("r8", "7");
	USE("r9", "8");
	USE("r10", "9");
	USE("r11", "10");
	USE("r12", "11");
	USE("r13", "12");
	USE("r14", "13");
	USE("r15", "14");
	/* rbp and r13 have no form without displacement, rsp and r12 need a SIB byte */
	__asm__ volatile("mov %%rbp, %%rbx; mov %0, %%rbp; clwb (%%rbp); mov %%rbx, %%rbp"
			 :
			 : "r"(p)
			 : "rbx", "memory");
	__asm__ volatile("mov %%rsp, %%rbx; mov %0, %%rsp; clwb 15(%%rsp); clwb (%%rsp); mov %%rbx, %%rsp"
			 :
			 : "r"(p)
			 : "rbx", "memory");
	USE("r12", "");
	USE("r13", "");
	//! clwb pool+0x1
	//! clwb pool+0x2
	//! clwb pool+0x3
	//! clwb pool+0x4
	//! clwb pool+0x5
	//! clwb pool+0x6
	//! clwb pool+0x7
	//! clwb pool+0x8
	//! clwb pool+0x9
	//! clwb pool+0xa
	//! clwb pool+0xb
	//! clwb pool+0xc
	//! clwb pool+0xd
	//! clwb pool+0xe
	//! clwb pool+0x0
	//! clwb pool+0xf
	//! clwb pool+0x0
	//! clwb pool+0x0
	//! clwb pool+0x0
}

/* RIP-relative, onto a page of the pool that is mapped over our own data. */
static void relative(void)
{
	__asm__ volatile("clwb area+5(%%rip)" : : : "memory");          //! clwb pool+0x1005
	__asm__ volatile("clflushopt area+0x46(%%rip)" : : : "memory"); //! clflushopt pool+0x1046
	__asm__ volatile("clflush area+0x87(%%rip)" : : : "memory");    //! clflush pool+0x1087
}

/* 32-bit addresses wrap. */
static void wrapped(void)
{
	__asm__ volatile("mov $0x70000000, %%rcx; bts $40, %%rcx; addr32 clwb 3(%%ecx)"
			 :
			 :
			 : "rcx", "memory", "cc"); //! clwb pool+0x3
	__asm__ volatile("mov $0xf0000000, %%ecx; addr32 clflushopt -0x7ffffffc(%%ecx)"
			 :
			 :
			 : "rcx", "memory"); //! clflushopt pool+0x4
}

static void segments(char *p)
{
	CHECK(syscall(SYS_arch_prctl, ARCH_SET_GS, p + 0x2000) == 0);
	__asm__ volatile("clwb %%gs:0x21" : : : "memory");                          //! clwb pool+0x2021
	__asm__ volatile("clflush %%gs:(%0)" : : "r"(0x22ul) : "memory");           //! clflush pool+0x2022
	__asm__ volatile("clflushopt %%gs:-0x1000(%0)" : : "r"(0x23ul) : "memory"); //! clflushopt pool+0x1023
	__asm__ volatile("clwb %%fs:0x10" : : : "memory");                          //! clwb *
	__asm__ volatile("clwb %%ds:0x7(%0)" : : "r"(p) : "memory");                //! clwb pool+0x7
}

/* Several in one block: the first must not swallow the next. */
static void together(char *p)
{
	__asm__ volatile("clwb (%0); clwb 0x40(%0); clflushopt 0x80(%0); clflush 0xc0(%0); sfence"
			 :
			 : "r"(p)
			 : "memory");
	//! clwb pool+0x0
	//! clwb pool+0x40
	//! clflushopt pool+0x80
	//! clflush pool+0xc0
	//! sfence
}

/* Flags and registers survive a flush. */
static void unharmed(char *p)
{
	uint64_t flags_before, flags_after, a = 1, b = 2, c = 3;

	__asm__ volatile("cmp $2, %2; pushf; popq %0; clwb (%5); clflush (%5); pushf; popq %1"
			 : "=&r"(flags_before), "=&r"(flags_after), "+r"(a), "+r"(b), "+r"(c)
			 : "r"(p)
			 : "memory", "cc");
	//! clwb pool+0x0
	//! clflush pool+0x0
	CHECK(flags_before == flags_after && a == 1 && b == 2 && c == 3);
}

int main(int argc, char **argv)
{
	char *p, *v, *low;
	int fd;

	CHECK(argc == 2);
	p = pool_create(argv[1]);
	v = volatile_create();
	fd = open(argv[1], O_RDWR);
	low = file_map(fd, LOW_ADDR, POOL_BYTES);
	CHECK(mmap(area, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, PAGE) == area);
	begin(p);

	every_kind(p, v);
	every_form(p);
	every_register(p);
	relative();
	wrapped();
	segments(p);
	together(p);
	unharmed(p);

	end(p);
	CHECK(low[0] == 0);
	return 0;
}
