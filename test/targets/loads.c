/* SPDX-License-Identifier: GPL-2.0-or-later */
/* loads.c - with --loads, reads of PM are events too, in their place among the stores. */
// record: --loads
// needs: avx2 sse4_1
// events: load,store,lockstore,locked,repstore
#include "target.h"

#include <sys/uio.h>

/* The value is used, because a load whose value nobody uses is no load to Valgrind. */
#define LD(insn, p)                                                      \
	__asm__ volatile(insn "; mov %%rax, (%1); movups %%xmm1, 16(%1)" \
			 :                                               \
			 : "r"(p), "r"(v)                                \
			 : "rax", "rcx", "xmm1", "memory", "cc")

int main(int argc, char **argv)
{
	static const uint32_t lanes[8] __attribute__((aligned(32))) = {~0u, 0, 0, ~0u, 0, 0, 0, 0};
	char *p, *v, copy[64];

	CHECK(argc == 2);
	p = pool_create(argv[1]);
	v = volatile_create();
	begin(p);

	LD("movb (%0), %%al", p);                                              //! load pool+0x0 1
	LD("movzwl 2(%0), %%eax", p);                                          //! load pool+0x2 2
	LD("movl 4(%0), %%eax", p);                                            //! load pool+0x4 4
	LD("movq 8(%0), %%rax", p);                                            //! load pool+0x8 8
	LD("movq 0x3d(%0), %%rax", p);                                         //! load pool+0x3d 8
	LD("movups 0x41(%0), %%xmm1", p);                                      //! load pool+0x41 16
	LD("movaps 0x40(%0), %%xmm1", p);                                      //! load pool+0x40 16
	LD("vmovups 0x61(%0), %%ymm1; vmovups %%ymm1, 32(%1); vzeroupper", p); //! load pool+0x61 32
	LD("movntdqa 0x80(%0), %%xmm1", p);                                    //! load pool+0x80 16
	LD("fldt 0x90(%0); fstpt 64(%1)", p);                                  //! load pool+0x90 10
	LD("cmpl $0, 0xa0(%0); sete %%al", p);                                 //! load pool+0xa0 4
	LD("push 0xa8(%0); pop %%rax", p);                                     //! load pool+0xa8 8
	ST8(p, 7);                                                             //! store pool+0x0 8 0x7
	LD("movq (%0), %%rax", p);                                             //! load pool+0x0 8
	/* read, modify, write */
	LD("addl $1, 0x10(%0)", p);
	//! load pool+0x10 4
	//! store pool+0x10 4 0x1
	LD("lock addl $1, 0x10(%0)", p);
	//! load pool+0x10 4
	//! lockstore pool+0x10 4 0x2
	LD("mov $9, %%ecx; xchgl %%ecx, 0x10(%0)", p);
	//! load pool+0x10 4
	//! lockstore pool+0x10 4 0x9
	LD("mov $9, %%eax; mov $5, %%ecx; lock cmpxchgl %%ecx, 0x10(%0)", p);
	//! load pool+0x10 4
	//! lockstore pool+0x10 4 0x5
	LD("mov $9, %%eax; mov $6, %%ecx; lock cmpxchgl %%ecx, 0x10(%0)", p);
	//! load pool+0x10 4
	//! locked
	/* volatile memory is not recorded */
	LD("movq (%0), %%rax", v);
	/* lanes */
	__asm__ volatile("vmovdqa %1, %%ymm2; vmaskmovps (%0), %%ymm2, %%ymm1; vmovups %%ymm1, (%2); vzeroupper"
			 :
			 : "r"(p + 0x200), "m"(lanes), "r"(v)
			 : "xmm1", "xmm2", "memory");
	//! load pool+0x200 4
	//! load pool+0x20c 4
	/* string instructions read each element */
	{
		char *to = copy, *from = p + 0x300;
		unsigned long n = 3;

		__asm__ volatile("rep movsl" : "+D"(to), "+S"(from), "+c"(n) : : "memory");
		//! load pool+0x300 4
		//! load pool+0x304 4
		//! load pool+0x308 4
	}
	/* system calls read all that they are given */
	{
		struct iovec parts[2] = {{p + 0x380, 8}, {p + 0x3c0, 4}};
		int null = open("/dev/null", O_WRONLY);

		CHECK(null >= 0);
		CHECK(write(null, p + 0x340, 40) == 40); //! load pool+0x340 40
		CHECK(writev(null, parts, 2) == 12);
		//! load pool+0x380 8
		//! load pool+0x3c0 4
		close(null);
	}
	/* and strings up to their end, or as far as they can be read */
	ST8(p + 0x400, 0x6c756e2f7665642ful);                           //! store pool+0x400 8 0x6c756e2f7665642f
	ST8(p + 0x408, 'l');                                            //! store pool+0x408 8 0x6c
	CHECK(access(p + 0x400, F_OK) == 0);                            //! load pool+0x400 10
	ST4(p + POOL_BYTES - 4, 0x7665642f);                            //! store pool+0x3ffc 4 0x7665642f
	CHECK(access(p + POOL_BYTES - 4, F_OK) < 0 && errno == EFAULT); //! load pool+0x3ffc 4
	end(p);
	return 0;
}
