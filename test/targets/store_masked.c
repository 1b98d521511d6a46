/* SPDX-License-Identifier: GPL-2.0-or-later */
/* store_masked.c - masked stores write their selected lanes and nothing else. */
// needs: avx2
#include "target.h"

static uint8_t bytes[32] __attribute__((aligned(32)));
static const uint32_t lanes32[8] __attribute__((aligned(32))) = {0x80000000, 0, 0x7fffffff, ~0u, 0, 0, 0, 0x80000000};
static const uint64_t lanes64[4] __attribute__((aligned(32))) = {0, 0x8000000000000000, 0, ~0ul};
static const uint8_t lanes8[16]
	__attribute__((aligned(16))) = {0x80, 0xff, 0, 0x7f, 0x80, 0, 0, 0x80, 0x80, 0x80, 0, 0, 0, 0, 0, 0x80};
static const uint64_t none[4] __attribute__((aligned(32)));

#define MASKED(insn, p, mask)                                                           \
	__asm__ volatile("vmovdqa %1, %%ymm1; vmovdqa %2, %%ymm2; " insn "; vzeroupper" \
			 :                                                              \
			 : "r"(p), "m"(bytes), "m"(mask)                                \
			 : "rdi", "xmm1", "xmm2", "memory")

int main(int argc, char **argv)
{
	char *p;

	CHECK(argc == 2);
	for (int i = 0; i < 32; i++)
		bytes[i] = (uint8_t)(i + 1);
	p = pool_create(argv[1]);
	begin(p);

	/* Nothing is selected, so the address does not matter. */
	MASKED("vmaskmovps %%ymm1, %%ymm2, (%0)", 0x8000000000000000, none);
	MASKED("vpmaskmovq %%xmm1, %%xmm2, (%0)", 0x1234567890abcdef, none);
	MASKED("vmaskmovps %%ymm1, %%ymm2, (%0)", p, lanes32);
	//! store pool+0x0 4 0x4030201
	//! store pool+0xc 4 0x100f0e0d
	//! store pool+0x1c 4 0x201f1e1d
	MASKED("vmaskmovps %%xmm1, %%xmm2, (%0)", p + 0x3a, lanes32);
	//! store pool+0x3a 4 0x4030201
	//! store pool+0x46 4 0x100f0e0d
	MASKED("vmaskmovpd %%ymm1, %%ymm2, (%0)", p + 0x80, lanes64);
	//! store pool+0x88 8 0x100f0e0d0c0b0a09
	//! store pool+0x98 8 0x201f1e1d1c1b1a19
	MASKED("vpmaskmovd %%ymm1, %%ymm2, (%0)", p + 0xc0, lanes32);
	//! store pool+0xc0 4 0x4030201
	//! store pool+0xcc 4 0x100f0e0d
	//! store pool+0xdc 4 0x201f1e1d
	MASKED("vpmaskmovq %%xmm1, %%xmm2, (%0)", p + 0x100, lanes64);
	//! store pool+0x108 8 0x100f0e0d0c0b0a09
	MASKED("vpmaskmovq %%ymm1, %%ymm2, (%0)", p + 0x120, none);

	/* maskmov select bytes and are non-temporal; neighbors that are selected make one store */
	MASKED("mov %0, %%rdi; maskmovdqu %%xmm2, %%xmm1", p + 0x140, lanes8);
	//! ntstore pool+0x140 2 0x201
	//! ntstore pool+0x144 1 0x5
	//! ntstore pool+0x147 3 0xa0908
	//! ntstore pool+0x14f 1 0x10
	MASKED("mov %0, %%rdi; vmaskmovdqu %%xmm2, %%xmm1", p + 0x17d, lanes8);
	//! ntstore pool+0x17d 2 0x201
	//! ntstore pool+0x181 1 0x5
	//! ntstore pool+0x184 3 0xa0908
	//! ntstore pool+0x18c 1 0x10
	__asm__ volatile("mov %0, %%rdi; movq %1, %%mm1; movq %2, %%mm2; maskmovq %%mm2, %%mm1; emms"
			 :
			 : "r"(p + 0x1c0), "m"(bytes), "m"(lanes8)
			 : "rdi", "mm1", "mm2", "memory");
	//! ntstore pool+0x1c0 2 0x201
	//! ntstore pool+0x1c4 1 0x5
	//! ntstore pool+0x1c7 1 0x8
	MASKED("mov %0, %%rdi; maskmovdqu %%xmm2, %%xmm1", p + 0x200, none);

	end(p);
	CHECK(load8(p + 0x140) == 0x0800000500000201);
	CHECK(load8(p + 0x120) == 0);
	return 0;
}
