/* SPDX-License-Identifier: GPL-2.0-or-later */
/* store_stack_near.c - a stack right above PM that runs over, and one whose lower part becomes PM while it is in use. */
#include "target.h"

static char *map_volatile(unsigned long addr, size_t bytes)
{
	char *p = mmap((void *)addr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE,
		       -1, 0);

	CHECK(p == (char *)addr);
	return p;
}

/* On a stack that begins there: pushes 1, 2, 3, 4. */
static __attribute__((noinline)) void push_four(char *stack)
{
	__asm__ volatile("mov %%rsp, %%rbx\n"
			 "mov %0, %%rsp\n"
			 "jmp 1f\n"
			 "1: pushq $1\n"
			 "pushq $2\n"
			 "jmp 2f\n"
			 "2: pushq $3\n"
			 "pushq $4\n"
			 "mov %%rbx, %%rsp\n"
			 :
			 : "r"(stack)
			 : "rbx", "memory");
}

int main(int argc, char **argv)
{
	char *stack, *p;

	CHECK(argc == 2);
	stack = map_volatile(POOL_ADDR, POOL_BYTES + 16 * PAGE) + POOL_BYTES;
	push_four(stack + 16 * PAGE);
	push_four(stack + 16); /* PM soon, but not yet */
	munmap((void *)POOL_ADDR, POOL_BYTES);
	p = pool_create(argv[1]);
	CHECK(p + POOL_BYTES == stack);
	begin(p);
	push_four(stack + 8 * PAGE);
	push_four(stack + 16);
	//! store pool+0x3ff8 8 0x3
	//! store pool+0x3ff0 8 0x4
	push_four(stack + 4096);
	push_four(p + 32);
	//! store pool+0x18 8 0x1
	//! store pool+0x10 8 0x2
	//! store pool+0x8 8 0x3
	//! store pool+0x0 8 0x4
	end(p);
	return 0;
}
