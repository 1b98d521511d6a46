/* SPDX-License-Identifier: GPL-2.0-or-later */
/* locked.c - locked instructions and xchg: a store and a fence on PM, a fence alone elsewhere or when the compare
 * fails. */
// needs: cx16
#include "target.h"

#define LOCK(insn, p, ...) __asm__ volatile(insn : : "r"(p) : "memory", "cc", ##__VA_ARGS__)

static int cmpxchg16b(char *p, uint64_t old_low, uint64_t old_high, uint64_t low, uint64_t high)
{
	unsigned char ok;

	__asm__ volatile("lock cmpxchg16b (%1); sete %0"
			 : "=q"(ok), "+r"(p), "+a"(old_low), "+d"(old_high)
			 : "b"(low), "c"(high)
			 : "memory", "cc");
	return ok;
}

static int cmpxchg8b(char *p, uint32_t old_low, uint32_t old_high, uint32_t low, uint32_t high)
{
	unsigned char ok;

	__asm__ volatile("lock cmpxchg8b (%1); sete %0"
			 : "=q"(ok), "+r"(p), "+a"(old_low), "+d"(old_high)
			 : "b"(low), "c"(high)
			 : "memory", "cc");
	return ok;
}

static int cmpxchg(char *p, uint64_t old, uint64_t new)
{
	unsigned char ok;

	__asm__ volatile("lock cmpxchgq %3, (%1); sete %0" : "=q"(ok), "+r"(p), "+a"(old) : "r"(new) : "memory", "cc");
	return ok;
}

static void on_pm(char *p)
{
	LOCK("lock addq $5, (%0)", p);
	LOCK("lock incl (%0)", p);
	LOCK("lock decw (%0)", p);
	LOCK("lock orb $0x10, (%0)", p);
	LOCK("lock andq $0x10, (%0)", p);
	LOCK("lock xorq $0x11, (%0)", p);
	LOCK("lock subl $1, (%0)", p);
	LOCK("lock notb (%0)", p);
	LOCK("lock negq (%0)", p);
	LOCK("mov $3, %%ecx; lock xaddq %%rcx, (%0)", p, "rcx");
	LOCK("mov $0x55, %%ecx; xchgq %%rcx, (%0)", p, "rcx");
	LOCK("mov $0x66, %%ecx; lock xchgb %%cl, (%0)", p, "rcx");
	LOCK("lock btsl $0, (%0)", p);
	LOCK("lock btrq $0, (%0)", p);
	LOCK("lock btcw $8, (%0)", p);
	/* the value is the same as before: still a store */
	LOCK("lock addq $0, (%0)", p);
}

static void on_volatile(char *v)
{
	LOCK("lock addq $5, (%0)", v);
	LOCK("mov $0x55, %%ecx; xchgl %%ecx, (%0)", v, "rcx");
	LOCK("mov $3, %%ecx; lock xaddq %%rcx, (%0)", v, "rcx");
	LOCK("lock btsl $0, (%0)", v);
	CHECK(!cmpxchg(v + 8, 1, 2));
	CHECK(cmpxchg(v + 8, 0, 2));
	CHECK(cmpxchg16b(v + 16, 0, 0, 1, 2));
	CHECK(!cmpxchg16b(v + 16, 0, 0, 1, 2));
	LOCK("lock orl $0, (%%rsp)", v);
}

int main(int argc, char **argv)
{
	char *p, *v;

	CHECK(argc == 2);
	p = pool_create(argv[1]);
	v = volatile_create();
	begin(p);

	on_pm(p);
	//! lockstore pool+0x0 8 0x5
	//! lockstore pool+0x0 4 0x6
	//! lockstore pool+0x0 2 0x5
	//! lockstore pool+0x0 1 0x15
	//! lockstore pool+0x0 8 0x10
	//! lockstore pool+0x0 8 0x1
	//! lockstore pool+0x0 4 0x0
	//! lockstore pool+0x0 1 0xff
	//! lockstore pool+0x0 8 0xffffffffffffff01
	//! lockstore pool+0x0 8 0xffffffffffffff04
	//! lockstore pool+0x0 8 0x55
	//! lockstore pool+0x0 1 0x66
	//! lockstore pool+0x0 4 0x67
	//! lockstore pool+0x0 8 0x66
	//! lockstore pool+0x0 2 0x166
	//! lockstore pool+0x0 8 0x166

	/* compares */
	CHECK(cmpxchg(p + 8, 0, 0x1234));              //! lockstore pool+0x8 8 0x1234
	CHECK(!cmpxchg(p + 8, 0, 0x5678));             //! locked
	CHECK(cmpxchg(p + 8, 0x1234, 0x1234));         //! lockstore pool+0x8 8 0x1234
	CHECK(cmpxchg8b(p + 0x10, 0, 0, 7, 8));        //! lockstore pool+0x10 8 0x800000007
	CHECK(!cmpxchg8b(p + 0x10, 0, 0, 7, 8));       //! locked
	CHECK(cmpxchg16b(p + 0x20, 0, 0, 0x11, 0x22)); //! lockstore pool+0x20 16 11000000000000002200000000000000
	CHECK(!cmpxchg16b(p + 0x20, 0, 0, 1, 2));      //! locked
	/* the low half equal, the high half not */
	CHECK(!cmpxchg16b(p + 0x20, 0x11, 0x23, 1, 2)); //! locked

	/* a bit index in a register reaches beyond the operand: the byte that holds the bit is what changes */
	LOCK("mov $131, %%ecx; lock btsq %%rcx, (%0)", p + 0x40, "rcx"); //! lockstore pool+0x50 1 0x8

	on_volatile(v);
	//! locked
	//! locked
	//! locked
	//! locked
	//! locked
	//! locked
	//! locked
	//! locked
	//! locked

	end(p);
	CHECK(load8(p) == 0x166 && p[0x50] == 8);
	return 0;
}
