/* SPDX-License-Identifier: GPL-2.0-or-later */
/* store_avx.c - 32-byte stores, aligned and not, and the VEX forms of narrower ones. */
// needs: avx2
#include "target.h"

static uint8_t bytes[32] __attribute__((aligned(32)));

#define WIDE(insn, p) \
	__asm__ volatile("vmovdqa %1, %%ymm9; " insn "; vzeroupper" : : "r"(p), "m"(bytes) : "xmm9", "memory")

int main(int argc, char **argv)
{
	char *p;

	CHECK(argc == 2);
	for (int i = 0; i < 32; i++)
		bytes[i] = (uint8_t)(0xa0 + i);
	p = pool_create(argv[1]);
	begin(p);

	WIDE("vmovaps %%ymm9, (%0)", p);
	//! store pool+0x0 32 a0a1a2a3a4a5a6a7a8a9aaabacadaeafb0b1b2b3b4b5b6b7b8b9babbbcbdbebf
	WIDE("vmovdqa %%ymm9, (%0)", p + 0x20);
	//! store pool+0x20 32 a0a1a2a3a4a5a6a7a8a9aaabacadaeafb0b1b2b3b4b5b6b7b8b9babbbcbdbebf
	WIDE("vmovups %%ymm9, (%0)", p + 0x41);
	//! store pool+0x41 32 a0a1a2a3a4a5a6a7a8a9aaabacadaeafb0b1b2b3b4b5b6b7b8b9babbbcbdbebf
	WIDE("vmovdqu %%ymm9, (%0)", p + 0xb0);
	//! store pool+0xb0 32 a0a1a2a3a4a5a6a7a8a9aaabacadaeafb0b1b2b3b4b5b6b7b8b9babbbcbdbebf
	WIDE("vmovupd %%ymm9, (%0)", p + 0xfe1);
	//! store pool+0xfe1 32 a0a1a2a3a4a5a6a7a8a9aaabacadaeafb0b1b2b3b4b5b6b7b8b9babbbcbdbebf
	WIDE("vpxor %%ymm9, %%ymm9, %%ymm9; vmovaps %%ymm9, (%0)", p + 0x100);
	//! store pool+0x100 32 0000000000000000000000000000000000000000000000000000000000000000
	WIDE("vmovaps %%xmm9, (%0)", p + 0x140);          //! store pool+0x140 16 a0a1a2a3a4a5a6a7a8a9aaabacadaeaf
	WIDE("vmovdqu %%xmm9, (%0)", p + 0x17b);          //! store pool+0x17b 16 a0a1a2a3a4a5a6a7a8a9aaabacadaeaf
	WIDE("vextracti128 $1, %%ymm9, (%0)", p + 0x1a0); //! store pool+0x1a0 16 b0b1b2b3b4b5b6b7b8b9babbbcbdbebf
	WIDE("vmovq %%xmm9, (%0)", p + 0x1c0);            //! store pool+0x1c0 8 0xa7a6a5a4a3a2a1a0
	WIDE("vmovd %%xmm9, (%0)", p + 0x1c8);            //! store pool+0x1c8 4 0xa3a2a1a0
	WIDE("vmovss %%xmm9, (%0)", p + 0x1cc);           //! store pool+0x1cc 4 0xa3a2a1a0
	WIDE("vmovhps %%xmm9, (%0)", p + 0x1d0);          //! store pool+0x1d0 8 0xafaeadacabaaa9a8
	WIDE("vpextrb $15, %%xmm9, (%0)", p + 0x1d8);     //! store pool+0x1d8 1 0xaf

	end(p);
	CHECK(memcmp(p + 0xfe1, bytes, 32) == 0);
	return 0;
}
