/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fence.c - sfence and mfence; lfence, pause and serializing instructions order no persistence. */
#include "target.h"

int main(int argc, char **argv)
{
	char *p;
	unsigned a = 0, b, c = 0, d;

	CHECK(argc == 2);
	p = pool_create(argv[1]);
	begin(p);
	SFENCE();  //! sfence
	ST1(p, 1); //! store pool+0x0 1 0x1
	SFENCE();  //! sfence
	SFENCE();  //! sfence
	LFENCE();
	MFENCE();  //! mfence
	ST1(p, 2); //! store pool+0x0 1 0x2
	LFENCE();
	__asm__ volatile("pause");
	__asm__ volatile("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d));
	ST1(p, 3); //! store pool+0x0 1 0x3
	__asm__ volatile("mfence; lfence; sfence; lfence; mfence" : : : "memory");
	//! mfence
	//! sfence
	//! mfence
	/* the other encodings of the same instructions: any value of the low three bits */
	__asm__ volatile(".byte 0x0f, 0xae, 0xf8" : : : "memory"); //! sfence
	__asm__ volatile(".byte 0x0f, 0xae, 0xf0" : : : "memory"); //! mfence
	end(p);
	return 0;
}
