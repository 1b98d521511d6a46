/* SPDX-License-Identifier: GPL-2.0-or-later */
/* store_sse.c - 16-byte stores, aligned and not, and the narrow stores of vector registers. */
// needs: sse4_1
#include "target.h"

static const uint8_t bytes[16] __attribute__((aligned(16))) = {0x10, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17,
							       0x18, 0x19, 0x1a, 0x1b, 0x1c, 0x1d, 0x1e, 0x1f};
static const uint64_t low_zero[2] __attribute__((aligned(16))) = {0, 1};
static const uint64_t high_zero[2] __attribute__((aligned(16))) = {0x8000000000000000, 0};

#define WIDE(insn, p, value) __asm__ volatile("movdqa %1, %%xmm3; " insn : : "r"(p), "m"(value) : "xmm3", "memory")

int main(int argc, char **argv)
{
	char *p;

	CHECK(argc == 2);
	p = pool_create(argv[1]);
	begin(p);

	WIDE("movaps %%xmm3, (%0)", p, bytes);             //! store pool+0x0 16 101112131415161718191a1b1c1d1e1f
	WIDE("movdqa %%xmm3, (%0)", p + 16, bytes);        //! store pool+0x10 16 101112131415161718191a1b1c1d1e1f
	WIDE("movapd %%xmm3, (%0)", p + 32, bytes);        //! store pool+0x20 16 101112131415161718191a1b1c1d1e1f
	WIDE("movups %%xmm3, (%0)", p + 0x41, bytes);      //! store pool+0x41 16 101112131415161718191a1b1c1d1e1f
	WIDE("movdqu %%xmm3, (%0)", p + 0x7a, bytes);      //! store pool+0x7a 16 101112131415161718191a1b1c1d1e1f
	WIDE("movupd %%xmm3, (%0)", p + 0xff3, bytes);     //! store pool+0xff3 16 101112131415161718191a1b1c1d1e1f
	WIDE("movaps %%xmm3, (%0)", p + 0x100, low_zero);  //! store pool+0x100 16 00000000000000000100000000000000
	WIDE("movaps %%xmm3, (%0)", p + 0x110, high_zero); //! store pool+0x110 16 00000000000000800000000000000000
	__asm__ volatile("pxor %%xmm3, %%xmm3; movaps %%xmm3, (%0)" : : "r"(p + 0x120) : "xmm3", "memory");
	//! store pool+0x120 16 00000000000000000000000000000000

	WIDE("movss %%xmm3, (%0)", p + 0x200, bytes);         //! store pool+0x200 4 0x13121110
	WIDE("movsd %%xmm3, (%0)", p + 0x208, bytes);         //! store pool+0x208 8 0x1716151413121110
	WIDE("movd %%xmm3, (%0)", p + 0x210, bytes);          //! store pool+0x210 4 0x13121110
	WIDE("movq %%xmm3, (%0)", p + 0x218, bytes);          //! store pool+0x218 8 0x1716151413121110
	WIDE("movlps %%xmm3, (%0)", p + 0x220, bytes);        //! store pool+0x220 8 0x1716151413121110
	WIDE("movhps %%xmm3, (%0)", p + 0x228, bytes);        //! store pool+0x228 8 0x1f1e1d1c1b1a1918
	WIDE("movhpd %%xmm3, (%0)", p + 0x230, bytes);        //! store pool+0x230 8 0x1f1e1d1c1b1a1918
	WIDE("pextrb $5, %%xmm3, (%0)", p + 0x240, bytes);    //! store pool+0x240 1 0x15
	WIDE("pextrw $1, %%xmm3, (%0)", p + 0x242, bytes);    //! store pool+0x242 2 0x1312
	WIDE("pextrd $3, %%xmm3, (%0)", p + 0x244, bytes);    //! store pool+0x244 4 0x1f1e1d1c
	WIDE("pextrq $1, %%xmm3, (%0)", p + 0x248, bytes);    //! store pool+0x248 8 0x1f1e1d1c1b1a1918
	WIDE("extractps $2, %%xmm3, (%0)", p + 0x250, bytes); //! store pool+0x250 4 0x1b1a1918
	__asm__ volatile("movq %1, %%mm2; movq %%mm2, (%0); emms" : : "r"(p + 0x258), "m"(bytes) : "mm2", "memory");
	//! store pool+0x258 8 0x1716151413121110

	end(p);
	CHECK(memcmp(p + 0xff3, bytes, 16) == 0);
	return 0;
}
