/* SPDX-License-Identifier: GPL-2.0-or-later */
/* store_string.c - rep movs and rep stos: ascending iterations make one event, descending ones one each. */
#include "target.h"

static char source[64] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+";

static void movs(const char *width, char *to, const char *from, unsigned long n)
{
	switch (*width) {
	case 'b': __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(n) : : "memory"); break;
	case 'w': __asm__ volatile("rep movsw" : "+D"(to), "+S"(from), "+c"(n) : : "memory"); break;
	case 'l': __asm__ volatile("rep movsl" : "+D"(to), "+S"(from), "+c"(n) : : "memory"); break;
	case 'q': __asm__ volatile("rep movsq" : "+D"(to), "+S"(from), "+c"(n) : : "memory"); break;
	case 'B': __asm__ volatile("std; rep movsb; cld" : "+D"(to), "+S"(from), "+c"(n) : : "memory"); break;
	case 'Q': __asm__ volatile("std; rep movsq; cld" : "+D"(to), "+S"(from), "+c"(n) : : "memory"); break;
	}
	CHECK(n == 0);
}

static void stos(const char *width, char *to, unsigned long value, unsigned long n)
{
	switch (*width) {
	case 'b': __asm__ volatile("rep stosb" : "+D"(to), "+c"(n) : "a"(value) : "memory"); break;
	case 'w': __asm__ volatile("rep stosw" : "+D"(to), "+c"(n) : "a"(value) : "memory"); break;
	case 'l': __asm__ volatile("rep stosl" : "+D"(to), "+c"(n) : "a"(value) : "memory"); break;
	case 'q': __asm__ volatile("rep stosq" : "+D"(to), "+c"(n) : "a"(value) : "memory"); break;
	case 'L': __asm__ volatile("std; rep stosl; cld" : "+D"(to), "+c"(n) : "a"(value) : "memory"); break;
	}
	CHECK(n == 0);
}

int main(int argc, char **argv)
{
	char *p;

	CHECK(argc == 2);
	p = pool_create(argv[1]);
	begin(p);

	movs("b", p, source, 5);         //! repstore pool+0x0 5 0x6564636261
	movs("b", p + 0x3d, source, 20); //! repstore pool+0x3d 20 6162636465666768696a6b6c6d6e6f7071727374
	movs("w", p + 0x60, source, 3);  //! repstore pool+0x60 6 0x666564636261
	movs("l", p + 0x71, source, 2);  //! repstore pool+0x71 8 0x6867666564636261
	movs("q", p + 0x80, source, 3);  //! repstore pool+0x80 24 6162636465666768696a6b6c6d6e6f707172737475767778
	movs("b", p + 0xa0, source, 0);
	movs("q", p + 0xa0, source, 1);      //! repstore pool+0xa0 8 0x6867666564636261
	stos("b", p + 0x101, 0x2a, 7);       //! repstore pool+0x101 7 0x2a2a2a2a2a2a2a
	stos("w", p + 0x110, 0x1234, 2);     //! repstore pool+0x110 4 0x12341234
	stos("l", p + 0x13c, 0xabcdef01, 3); //! repstore pool+0x13c 12 01efcdab01efcdab01efcdab
	stos("q", p + 0x180, 0x77, 2);       //! repstore pool+0x180 16 77000000000000007700000000000000

	/* long enough that its value is printed in part; crosses pages */
	stos("b", p + 0xf80, 1, 0x100);
	//! repstore pool+0xf80 256 01010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101..

	/* two neighbors of the same site are two events when something lies between */
	stos("b", p + 0x200, 1, 3); //! repstore pool+0x200 3 0x10101
	SFENCE();                   //! sfence
	stos("b", p + 0x203, 1, 3); //! repstore pool+0x203 3 0x10101
	stos("b", p + 0x206, 2, 3); //! repstore pool+0x206 3 0x20202

	/* descending */
	movs("B", p + 0x302, source + 2, 3);
	//! repstore pool+0x302 1 0x63
	//! repstore pool+0x301 1 0x62
	//! repstore pool+0x300 1 0x61
	movs("Q", p + 0x348, source + 8, 2);
	//! repstore pool+0x348 8 0x706f6e6d6c6b6a69
	//! repstore pool+0x340 8 0x6867666564636261
	stos("L", p + 0x384, 9, 2);
	//! repstore pool+0x384 4 0x9
	//! repstore pool+0x380 4 0x9

	end(p);
	CHECK(memcmp(p + 0x3d, source, 20) == 0);
	CHECK(memcmp(p + 0x300, source, 3) == 0);
	return 0;
}
