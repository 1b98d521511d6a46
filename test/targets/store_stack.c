/* SPDX-License-Identifier: GPL-2.0-or-later */
/* store_stack.c - a stack that lies in PM, as coroutines may have: pushes and calls on it are stores. */
#include "target.h"

int main(int argc, char **argv)
{
	char *p;

	CHECK(argc == 2);
	p = pool_create(argv[1]);
	begin(p);

	__asm__ volatile("mov %%rsp, %%rbx\n"
			 "mov %0, %%rsp\n"
			 "pushq $5\n"
			 "mov $0x66, %%eax\n"
			 "push %%rax\n"
			 "pushw $7\n"
			 "add $2, %%rsp\n"
			 "call 1f\n"
			 "movq $1, -8(%%rsp)\n"
			 "jmp 2f\n"
			 "1: push %%rbp\n"
			 "mov %%rsp, %%rbp\n"
			 "movl $9, -4(%%rbp)\n" /* in the red zone */
			 "pop %%rbp\n"
			 "ret\n"
			 "2: mov %%rbx, %%rsp\n"
			 :
			 : "r"(p + 0x2000)
			 : "rax", "rbx", "memory", "cc");
	//! store pool+0x1ff8 8 0x5
	//! store pool+0x1ff0 8 0x66
	//! store pool+0x1fee 2 0x7
	//! store pool+0x1fe8 8 *
	//! store pool+0x1fe0 8 *
	//! store pool+0x1fdc 4 0x9
	//! store pool+0x1fe8 8 0x1

	end(p);
	CHECK(load8(p + 0x1ff8) == 5 && load8(p + 0x1fe8) == 1);
	return 0;
}
