// SPDX-License-Identifier: GPL-2.0-or-later
/* Branches that depend on standard input.  Beside each is its condition, and what it was for the input "PQ\x03a\x80\x01z0". */
#include "target.h"

static uint8_t in[8];
static const uint32_t table[4] = {7, 11, 13, 17};
static uint64_t word;

/* Code that ends in a conditional jump to `yes`. */
#define BRANCH(code, ...)                                                          \
	do {                                                                       \
		__label__ yes;                                                     \
		__asm__ goto(code " %l[yes]"                                       \
			     :                                                     \
			     : __VA_ARGS__                                         \
			     : "cc", "memory", "rax", "rcx", "rdx", "xmm0", "xmm1" \
			     : yes);                                               \
yes:;                                                                              \
	} while (0)

#define IN(index) "m"(in[index])

static void comparisons(void)
{
	BRANCH("cmpb $0x50, %0; je", IN(0));                      //! eq(stdin[0], 0x50) = 1
	BRANCH("cmpb $0x20, %0; jne", IN(1));                     //! eq(stdin[1], 0x20) = 0
	BRANCH("cmpb $5, %0; jb", IN(2));                         //! ult(stdin[2], 0x5) = 1
	BRANCH("cmpb $0x60, %0; ja", IN(3));                      //! ule(stdin[3], 0x60) = 0
	BRANCH("cmpb $0x10, %0; jl", IN(4));                      //! slt(stdin[4], 0x10) = 1
	BRANCH("cmpb $0, %0; js", IN(4));                         //! extract(stdin[4], 7..7) = 1
	BRANCH("cmpw $0x5150, %0; je", IN(0));                    //! eq(concat(stdin[1], stdin[0]), 0x5150) = 1
	BRANCH("movb %0, %%al; cmpb %1, %%al; je", IN(5), IN(6)); //! eq(stdin[5], stdin[6]) = 0
}

/* What the code does before it compares, and what is left of it. */
static void calculations(void)
{
	BRANCH("movzbl %0, %%eax; subl $0x30, %%eax; cmpl $9, %%eax; jbe",
	       IN(7));                                          //! ule(add(zext(stdin[7], 32), 0xffffffd0), 0x9) = 1
	BRANCH("movzbl %0, %%eax; testl $2, %%eax; jz", IN(2)); //! extract(stdin[2], 1..1) = 1
	BRANCH("movb %0, %%ah; movb $1, %%al; shrw $8, %%ax; cmpb $4, %%al; je", IN(2)); //! eq(stdin[2], 0x4) = 0
	BRANCH("movl %0, %%eax; bswapl %%eax; shrl $24, %%eax; cmpl $0x51, %%eax; je",
	       IN(0));                                                     //! eq(stdin[0], 0x51) = 0
	BRANCH("movsbl %0, %%eax; cmpl $-1, %%eax; je", IN(4));            //! eq(stdin[4], 0xff) = 0
	BRANCH("cmpb $0x33, %0; sete %%al; testb %%al, %%al; jne", IN(3)); //! eq(stdin[3], 0x33) = 0
	BRANCH("xorl %%eax, %%eax; movl $1, %%ecx; cmpb $0x7a, %0; cmovel %%ecx, %%eax; testl %%eax, %%eax; jz",
	       IN(6)); //! eq(stdin[6], 0x7a) = 1
}

/* Registers and memory keep every byte apart. */
static void moves(void)
{
	word = ~0ULL;
	BRANCH("movb %0, %%al; movb %%al, 3+%1; movq %1, %%rcx; shrq $24, %%rcx; cmpb $0x11, %%cl; je", IN(0),
	       "m"(word)); //! eq(stdin[0], 0x11) = 0
	BRANCH("cmpb $0x11, 2+%0; je", "m"(word));
	BRANCH("pushq %0; popq %%rax; cmpb $0x12, %%ah; je", IN(0));                //! eq(stdin[1], 0x12) = 0
	BRANCH("movq %0, %%xmm0; movd %%xmm0, %%eax; cmpb $0x13, %%al; je", IN(0)); //! eq(stdin[0], 0x13) = 0
	BRANCH("movb %0, %%al; xorb %%al, %%al; cmpb $0, %%al; je", IN(0));
	BRANCH("movb %0, %%al; xchgb %%al, %1; cmpb $0x14, %1; je", IN(0), "m"(word)); //! eq(stdin[0], 0x14) = 0
}

/* As string functions do: all bytes are compared at once, and a bit of the result decides. */
static void vectors(void)
{
	BRANCH("movq %0, %%xmm0; movl $0x61616161, %%eax; movd %%eax, %%xmm1; pcmpeqb %%xmm1, %%xmm0; pmovmskb %%xmm0, %%eax; testl $8, %%eax; jnz",
	       IN(0)); //! eq(stdin[3], 0x61) = 1
}

/* A load from a small table; a loop; an atomic instruction that compares. */
static void others(void)
{
	BRANCH("movzbl %0, %%eax; andl $3, %%eax; movl (%1,%%rax,4), %%eax; cmpl $13, %%eax; je", IN(2),
	       "r"(table)); //! eq(table(zext(concat(extract(stdin[2], 0..1), 0), 64), 1, 32), 0xd) = 0
	/* A byte that is small above a constant is an index, added to another constant; so is one of two whose union is small. */
	BRANCH("movzbl %0, %%eax; subl $0x30, %%eax; cmpl $3, %%eax; ja",
	       IN(7)); //! eq(extract(add(zext(stdin[7], 32), 0xffffffd0), 2..31), 0) = 1
	BRANCH("movzbl %0, %%eax; movl -0xc0(%1,%%rax,4), %%eax; cmpl $13, %%eax; je", IN(7),
	       "r"(table)); //! eq(table(add(zext(concat(stdin[7], 0), 64), 0xffffffffffffff40), 1, 32), 0xd) = 0
	BRANCH("movzbl %0, %%eax; subl $0x4f, %%eax; movzbl %1, %%ecx; orl %%ecx, %%eax; cmpl $3, %%eax; ja", IN(1),
	       IN(5)); //! eq(extract(or(add(zext(stdin[1], 32), 0xffffffb1), zext(stdin[5], 32)), 2..31), 0) = 1
	BRANCH("movzbl %0, %%eax; movl -0x13c(%1,%%rax,4), %%eax; cmpl $13, %%eax; je", IN(1),
	       "r"(table)); //! eq(table(add(zext(concat(stdin[1], 0), 64), 0xfffffffffffffec4), 1, 32), 0xd) = 1
	/* One of few bytes of the input itself; one of few words that do not overlap. */
	BRANCH("movzbl %0, %%eax; andl $3, %%eax; cmpb $0x16, 3(%1,%%rax); je", IN(2),
	       "r"(in)); //! eq(ite(extract(stdin[2], 1..1), ite(extract(stdin[2], 0..0), stdin[6], stdin[5]), ite(extract(stdin[2], 0..0), stdin[4], stdin[3])), 0x16) = 0
	BRANCH("movzbl %0, %%eax; andl $3, %%eax; cmpw $0x6180, (%1,%%rax,2); je", IN(2),
	       "r"(in)); //! eq(ite(extract(stdin[2], 1..1), ite(extract(stdin[2], 0..0), concat(stdin[7], stdin[6]), concat(stdin[5], stdin[4])), ite(extract(stdin[2], 0..0), concat(stdin[3], stdin[2]), concat(stdin[1], stdin[0]))), 0x6180) = 0
	word = 5;
	BRANCH("movl $0x62, %%eax; movzbl %0, %%ecx; lock cmpxchgq %%rcx, %1; movb %1, %%al; cmpb $0x15, %%al; je",
	       IN(0), "m"(word));
	word = 0x62;
	BRANCH("movl $0x62, %%eax; movzbl %0, %%ecx; lock cmpxchgq %%rcx, %1; movb %1, %%al; cmpb $0x15, %%al; je",
	       IN(0), "m"(word)); //! eq(stdin[0], 0x15) = 0
}

/* What is known of the input is told again where it decides about other code, but not for each round of a loop. */
static void repetitions(void)
{
	for (int i = 0; i < 12; i++)
		BRANCH("cmpb $0x51, %0; je", IN(1)); //! eq(stdin[1], 0x51) = 1
	//! eq(stdin[1], 0x51) = 1
	//! eq(stdin[1], 0x51) = 1
	//! eq(stdin[1], 0x51) = 1
	//! eq(stdin[1], 0x51) = 1
	//! eq(stdin[1], 0x51) = 1
	//! eq(stdin[1], 0x51) = 1
	//! eq(stdin[1], 0x51) = 1
	//! eq(stdin[1], 0x51) = 1
	BRANCH("cmpb $0x51, %0; jne", IN(1)); //! eq(stdin[1], 0x51) = 1
	/* It follows from what is known. */
	BRANCH("cmpb $0x40, %0; ja", IN(1)); //! ule(stdin[1], 0x40) = 0
}

int main(void)
{
	CHECK(read(0, in, 8) == 8);
	comparisons();
	calculations();
	moves();
	vectors();
	others();
	repetitions();
	return 0;
}
