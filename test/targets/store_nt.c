/* SPDX-License-Identifier: GPL-2.0-or-later */
/* store_nt.c - non-temporal stores; movntdqa, for all its name, is a load. */
// needs: avx2 sse4_1
#include "target.h"

static uint8_t bytes[32] __attribute__((aligned(32)));

#define WIDE(insn, p) \
	__asm__ volatile("vmovdqa %1, %%ymm12; " insn "; vzeroupper" : : "r"(p), "m"(bytes) : "xmm12", "memory")

int main(int argc, char **argv)
{
	char *p;

	CHECK(argc == 2);
	for (int i = 0; i < 32; i++)
		bytes[i] = (uint8_t)(0x40 + i);
	p = pool_create(argv[1]);
	begin(p);

	__asm__ volatile("movnti %1, (%0)" : : "r"(p), "r"(0x12345678) : "memory"); //! ntstore pool+0x0 4 0x12345678
	__asm__ volatile("movnti %1, (%0)"
			 :
			 : "r"(p + 8), "r"(0x123456789abul)
			 : "memory"); //! ntstore pool+0x8 8 0x123456789ab
	__asm__ volatile("mov %0, %%r14; mov $3, %%r15; movnti %%r15, 0x80(%%r14,%%r15,8)"
			 :
			 : "r"(p)
			 : "r14", "r15", "memory");
	//! ntstore pool+0x98 8 0x3
	__asm__ volatile("movnti %1, (%0)"
			 :
			 : "r"(p + 0x3d), "r"(0x1122334455667788)
			 : "memory");             //! ntstore pool+0x3d 8 0x1122334455667788
	WIDE("movntdq %%xmm12, (%0)", p + 0x100); //! ntstore pool+0x100 16 404142434445464748494a4b4c4d4e4f
	WIDE("movntps %%xmm12, (%0)", p + 0x110); //! ntstore pool+0x110 16 404142434445464748494a4b4c4d4e4f
	WIDE("movntpd %%xmm12, (%0)", p + 0x120); //! ntstore pool+0x120 16 404142434445464748494a4b4c4d4e4f
	__asm__ volatile("movq %1, %%mm7; movntq %%mm7, (%0); emms" : : "r"(p + 0x138), "m"(bytes) : "mm7", "memory");
	//! ntstore pool+0x138 8 0x4746454443424140
	WIDE("vmovntdq %%xmm12, (%0)", p + 0x140); //! ntstore pool+0x140 16 404142434445464748494a4b4c4d4e4f
	WIDE("vmovntdq %%ymm12, (%0)",
	     p + 0x160); //! ntstore pool+0x160 32 404142434445464748494a4b4c4d4e4f505152535455565758595a5b5c5d5e5f
	WIDE("vmovntps %%ymm12, 0x20(%0)",
	     p + 0x160); //! ntstore pool+0x180 32 404142434445464748494a4b4c4d4e4f505152535455565758595a5b5c5d5e5f
	WIDE("vmovntpd %%xmm12, (%0)", p + 0x1a0); //! ntstore pool+0x1a0 16 404142434445464748494a4b4c4d4e4f
	__asm__ volatile("movntdqa (%0), %%xmm1" : : "r"(p + 0x100) : "xmm1", "memory");
	/* the plain store beside it stays plain */
	WIDE("vmovdqa %%ymm12, (%0)",
	     p + 0x1c0); //! store pool+0x1c0 32 404142434445464748494a4b4c4d4e4f505152535455565758595a5b5c5d5e5f
	SFENCE();        //! sfence

	end(p);
	CHECK(memcmp(p + 0x160, bytes, 32) == 0);
	return 0;
}
