/* SPDX-License-Identifier: GPL-2.0-or-later */
/* instructions_random.c - random programs of instructions that compute something from input.
 *
 *     instructions_random SEED BLOCKS [DECISIONS]
 *     instructions_random --flags SEED
 *     instructions_random --input SEED
 *
 * The first prints a program in C whose functions are assembly.  It reads its input from stdin.  Each function, a block, loads all
 * registers from the input, performs random instructions, and stores the registers into memory that later blocks use.  The
 * instructions are all that VEX has integer or vector operations for, so that a recording shows the expression of each
 * operation.  They are used in turn: a program of enough blocks has all of them.  Addresses do not depend on input, so all
 * inputs take the same path, unless DECISIONS is 1: then there are conditional jumps to the next instruction, and addresses
 * that depend on input.
 *
 * The second prints a program of all integer instructions in all sizes, each followed by each instruction that depends on
 * flags.  The third prints an input. */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "base/vec.h"

#define INSTRUCTIONS 40 /* of a block */
#define SCRATCH 512     /* bytes of memory that blocks use */
#define INPUT 4096      /* bytes of input */
#define WINDOW 256      /* those that a block uses */

/* An instruction as text of the assembler.  In it are:
 *
 *     @    the letter of a size, one of `sizes`      #R   a register of that size       #M   memory, #A   aligned to 32
 *     #I   a constant of at most that size           #i   one of 8 bits                 #n   a number of bits
 *     #C   a condition                               #b #w #d #q   a register of 8, 16, 32, 64 bits
 *     #N   a register of that size, but not rax, rcx or rdx                             #h   ah, bh, ch, dh
 *     #x   an xmm register, #y ymm, #m mmx */
struct instruction {
	const char *sizes, *text;
};

static const struct instruction integer[] = {
	{"bwlq", "add@ #R,#R"},
	{"bwlq", "add@ #I,#R"},
	{"bwlq", "add@ #M,#R"},
	{"bwlq", "add@ #R,#M"},
	{"bwlq", "sub@ #R,#R"},
	{"bwlq", "sub@ #I,#R"},
	{"bwlq", "sub@ #M,#R"},
	{"bwlq", "and@ #R,#R"},
	{"bwlq", "and@ #I,#R"},
	{"bwlq", "or@ #R,#R"},
	{"bwlq", "or@ #I,#M"},
	{"bwlq", "xor@ #R,#R"},
	{"bwlq", "xor@ #M,#R"},
	{"bwlq", "adc@ #R,#R"},
	{"bwlq", "adc@ #M,#R"},
	{"bwlq", "sbb@ #R,#R"},
	{"bwlq", "sbb@ #I,#R"},
	{"bwlq", "cmp@ #R,#R"},
	{"bwlq", "cmp@ #I,#R"},
	{"bwlq", "test@ #R,#R"},
	{"bwlq", "inc@ #R"},
	{"bwlq", "dec@ #R"},
	{"bwlq", "dec@ #M"},
	{"bwlq", "neg@ #R"},
	{"bwlq", "not@ #R"},
	{"bwlq", "shl@ #n,#R"},
	{"bwlq", "shr@ #n,#R"},
	{"bwlq", "sar@ #n,#R"},
	{"bwlq", "rol@ #n,#R"},
	{"bwlq", "ror@ #n,#R"},
	{"bwlq", "rcl@ #n,#R"},
	{"bwlq", "rcr@ #n,#R"},
	{"bwlq", "shl@ %cl,#R"},
	{"bwlq", "shr@ %cl,#R"},
	{"bwlq", "sar@ %cl,#R"},
	{"bwlq", "rol@ %cl,#R"},
	{"bwlq", "ror@ %cl,#R"},
	{"wlq", "shld@ #n,#R,#R"},
	{"wlq", "shrd@ #n,#R,#R"},
	{"wlq", "shld@ %cl,#R,#R"},
	{"wlq", "shrd@ %cl,#R,#R"},
	{"wlq", "imul@ #R,#R"},
	{"wlq", "imul@ #I,#R,#R"},
	{"bwlq", "mul@ #R"},
	{"bwlq", "imul@ #R"},
	{"wlq", "movzb@ #b,#R"},
	{"wlq", "movsb@ #b,#R"},
	{"lq", "movzw@ #w,#R"},
	{"lq", "movsw@ #w,#R"},
	{"", "movslq #d,#q"},
	{"", "movl #d,#d"},
	{"", "addb #h,#h"},
	{"", "cmpb #h,%al"},
	{"lq", "bswap@ #R"},
	{"wlq", "bt@ #n,#R"},
	{"wlq", "bts@ #n,#R"},
	{"wlq", "btr@ #n,#R"},
	{"wlq", "btc@ #n,#R"},
	{"wlq", "bsf@ #R,#R"},
	{"wlq", "bsr@ #R,#R"},
	{"wlq", "tzcnt@ #R,#R"},
	{"wlq", "lzcnt@ #R,#R"},
	{"wlq", "popcnt@ #R,#R"},
	{"bwlq", "xchg@ #R,#R"},
	{"bwlq", "xadd@ #R,#R"},
	{"bwlq", "lock xadd@ #R,#M"},
	{"bwlq", "cmpxchg@ #R,#R"},
	{"bwlq", "lock add@ #R,#M"},
	{"bwlq", "xchg@ #R,#M"},
	{"", "cbtw"},
	{"", "cwtl"},
	{"", "cltq"},
	{"", "cwtd"},
	{"", "cltd"},
	{"", "cqto"},
	{"", "lahf"},
	{"", "sahf"},
	{"", "pushfq; pop #q"},
	{"", "stc"},
	{"", "cmc"},
	{"lq", "andn@ #R,#R,#R"},
	{"lq", "bextr@ #R,#R,#R"},
	{"lq", "blsi@ #R,#R"},
	{"lq", "blsr@ #R,#R"},
	{"lq", "blsmsk@ #R,#R"},
	{"lq", "bzhi@ #R,#R,#R"},
	{"lq", "rorx@ #n,#R,#R"},
	{"lq", "sarx@ #R,#R,#R"},
	{"lq", "shlx@ #R,#R,#R"},
	{"lq", "shrx@ #R,#R,#R"},
	{"lq", "mulx@ #R,#R,#N"},
	{"lq", "adcx@ #R,#R"},
	{"lq", "adox@ #R,#R"},
	{"", "movl #I,%eax; pextl %eax,#d,#d"},
	{"", "movabsq #L,%rax; pextq %rax,#q,#q"},
	{"", "movl #I,%eax; pdepl %eax,#d,#d"},
	{"", "movabsq #L,%rax; pdepq %rax,#q,#q"},
	{"", "crc32b #b,#d"},
	{"", "crc32w #w,#d"},
	{"", "crc32l #d,#d"},
	{"", "crc32q #q,#q"},
	/* The divisor is not 0, and the quotient has room. */
	{"lq", "xor %edx,%edx; or@ $1,#N; div@ #N"},
	{"", "movzbl %ah,%eax; movzbl %dl,%edx; orl $0x10000,%ebx; divl %ebx"},
	{"", "movl #I,%edx; andl $0xffff,%edx; orl $0x7fff0000,%ebx; andl $0x7fffffff,%ebx; divl %ebx"},
	{"", "cltd; andl $0x7fffffff,%ebx; orl $1,%ebx; idivl %ebx"},
	{"", "cqto; shrq $1,%rbx; orq $1,%rbx; idivq %rbx"},
	{"", "movsbl %dl,%edx; orl $0x1000,%ebx; andl $0xffff,%ebx; idivl %ebx"},
	{"", "xorl %edx,%edx; orw $1,%bx; divw %bx"},
	{"", "cwtd; andw $0x7fff,%bx; orw $1,%bx; idivw %bx"},
	{"", "movzbl %al,%eax; orb $1,%bl; divb %bl"},
	{"", "cbtw; andb $0x7f,%bl; orb $1,%bl; idivb %bl"},
	/* One of few cells of the input. */
	{"wlq", "movzbl #b,%eax; andl $31,%eax; movzb@ 64(%rsi,%rax),#R"},
	{"", "movzbl #b,%eax; andl $13,%eax; movq 64(%rsi,%rax,8),#q"},
	{"", "movzbl #b,%eax; shrl $5,%eax; addl $3,%eax; movl 31(%rsi,%rax,4),#d"},
	{"", "movzwl #w,%eax; orl $0x900,%eax; tzcntl %eax,%eax; movsbl 16(%rsi,%rax),#d"},
};

/* What uses the flags; follows instructions that set them. */
static const struct instruction conditional[] = {
	{"", "set#C #b"},       {"", "set#C #b"},       {"wlq", "cmov#C@ #R,#R"}, {"wlq", "cmov#C@ #R,#R"},
	{"bwlq", "adc@ #R,#R"}, {"bwlq", "sbb@ #R,#R"}, {"", "pushfq; pop #q"},   {"", "lahf"},
};

/* What makes paths depend on input.  VEX performs `bt` in memory, at an address that depends on input, and a locked
 * exchange that stores only sometimes is a decision. */
static const struct instruction deciding[] = {
	{"", "j#C 1f; 1:"},
	{"", "j#C 1f; 1:"},
	{"wlq", "bt@ #R,#R"},
	{"wlq", "btr@ #R,#R"},
	{"wlq", "movzbl #b,%eax; andl $15,%eax; mov@ 64(%rdi,%rax,8),#R"},
	{"bwlq", "lock cmpxchg@ #R,#M"},
	{"", "lock cmpxchg8b #M"},
	{"", "lock cmpxchg16b #A"},
};
static bool has_decisions;

/* The names of vector instructions with two operands, which exist for xmm registers, and with a v and three operands for
 * both sizes. */
static const char *const vector_names[] = {
	"paddb",     "paddw",     "paddd",     "paddq",      "psubb",     "psubw",     "psubd",     "psubq",
	"paddsb",    "paddsw",    "paddusb",   "paddusw",    "psubsb",    "psubsw",    "psubusb",   "psubusw",
	"pmullw",    "pmulld",    "pmulhw",    "pmulhuw",    "pmuludq",   "pmuldq",    "pmaddwd",   "pmaddubsw",
	"pmulhrsw",  "psadbw",    "pand",      "pandn",      "por",       "pxor",      "pcmpeqb",   "pcmpeqw",
	"pcmpeqd",   "pcmpeqq",   "pcmpgtb",   "pcmpgtw",    "pcmpgtd",   "pcmpgtq",   "pminub",    "pminsw",
	"pminsb",    "pminuw",    "pminsd",    "pminud",     "pmaxub",    "pmaxsw",    "pmaxsb",    "pmaxuw",
	"pmaxsd",    "pmaxud",    "pavgb",     "pavgw",      "punpcklbw", "punpcklwd", "punpckldq", "punpcklqdq",
	"punpckhbw", "punpckhwd", "punpckhdq", "punpckhqdq", "packsswb",  "packssdw",  "packuswb",  "packusdw",
	"pshufb",    "psignb",    "psignw",    "psignd",     "phaddw",    "phaddd",    "phaddsw",   "phsubw",
	"phsubd",    "phsubsw",   "andps",     "andnps",     "orps",      "xorps",     "unpcklps",  "unpckhps",
	"unpcklpd",  "unpckhpd",
};

/* Those that exist for mmx registers. */
static const char *const mmx_names[] = {
	"paddb",     "paddw",     "paddd",     "paddq",    "psubb",    "psubw",     "psubd",     "psubq",
	"paddsb",    "paddsw",    "paddusb",   "paddusw",  "psubsb",   "psubsw",    "psubusb",   "psubusw",
	"pmullw",    "pmulhw",    "pmulhuw",   "pmaddwd",  "psadbw",   "pand",      "pandn",     "por",
	"pxor",      "pcmpeqb",   "pcmpeqw",   "pcmpeqd",  "pcmpgtb",  "pcmpgtw",   "pcmpgtd",   "pminub",
	"pminsw",    "pmaxub",    "pmaxsw",    "pavgb",    "pavgw",    "punpcklbw", "punpcklwd", "punpckldq",
	"punpckhbw", "punpckhwd", "punpckhdq", "packsswb", "packssdw", "packuswb",  "pshufb",    "psignb",
	"psignw",    "psignd",    "phaddw",    "phaddd",   "phaddsw",  "phsubw",    "pmuludq",   "pmaddubsw",
	"pmulhrsw",
};

static const struct instruction vector[] = {
	{"", "pshufd #i,#x,#x"},
	{"", "pshuflw #i,#x,#x"},
	{"", "pshufhw #i,#x,#x"},
	{"", "vpshufd #i,#y,#y"},
	{"", "vpshuflw #i,#y,#y"},
	{"", "psllw #n,#x"},
	{"", "pslld #n,#x"},
	{"", "psllq #n,#x"},
	{"", "psrlw #n,#x"},
	{"", "psrld #n,#x"},
	{"", "psrlq #n,#x"},
	{"", "psraw #n,#x"},
	{"", "psrad #n,#x"},
	{"", "vpsllw #n,#y,#y"},
	{"", "vpslld #n,#y,#y"},
	{"", "vpsllq #n,#y,#y"},
	{"", "vpsrlw #n,#y,#y"},
	{"", "vpsrld #n,#y,#y"},
	{"", "vpsrlq #n,#y,#y"},
	{"", "vpsraw #n,#y,#y"},
	{"", "vpsrad #n,#y,#y"},
	/* By a number of bits that depends on input. */
	{"", "psllw #x,#x"},
	{"", "pslld #x,#x"},
	{"", "psllq #x,#x"},
	{"", "psrlw #x,#x"},
	{"", "psrld #x,#x"},
	{"", "psrlq #x,#x"},
	{"", "psraw #x,#x"},
	{"", "psrad #x,#x"},
	{"", "movzbl #b,%eax; andl $15,%eax; movd %eax,%xmm7; psllw %xmm7,#x"},
	{"", "movzbl #b,%eax; andl $31,%eax; movd %eax,%xmm7; psrad %xmm7,#x"},
	{"", "movzbl #b,%eax; andl $63,%eax; movd %eax,%xmm7; psrlq %xmm7,#x"},
	{"", "movzbl #b,%eax; andl $15,%eax; movd %eax,%xmm7; vpsllw %xmm7,#y,#y"},
	{"", "movzbl #b,%eax; andl $31,%eax; movd %eax,%xmm7; vpsrad %xmm7,#y,#y"},
	{"", "vpsllvd #y,#y,#y"},
	{"", "vpsllvq #y,#y,#y"},
	{"", "vpsrlvd #y,#y,#y"},
	{"", "vpsrlvq #x,#x,#x"},
	{"", "vpsravd #y,#y,#y"},
	{"", "pslldq #i,#x"},
	{"", "psrldq #i,#x"},
	{"", "vpslldq #i,#y,#y"},
	{"", "palignr #i,#x,#x"},
	{"", "vpalignr #i,#y,#y,#y"},
	{"", "pmovmskb #x,#d"},
	{"", "vpmovmskb #y,#d"},
	{"", "movmskps #x,#d"},
	{"", "movmskpd #x,#d"},
	{"", "movd #d,#x"},
	{"", "movd #x,#d"},
	{"", "movq #q,#x"},
	{"", "movq #x,#q"},
	{"", "movq #x,#x"},
	{"", "movss #x,#x"},
	{"", "movsd #x,#x"},
	{"", "movss #M,#x"},
	{"", "movss #x,#M"},
	{"", "movsd #M,#x"},
	{"", "movhlps #x,#x"},
	{"", "movlhps #x,#x"},
	{"", "movhps #M,#x"},
	{"", "movlps #M,#x"},
	{"", "movddup #x,#x"},
	{"", "movshdup #x,#x"},
	{"", "shufps #i,#x,#x"},
	{"", "shufpd #i,#x,#x"},
	{"", "pinsrb #i,#d,#x"},
	{"", "pinsrw #i,#d,#x"},
	{"", "pinsrd #i,#d,#x"},
	{"", "pinsrq #i,#q,#x"},
	{"", "pextrb #i,#x,#d"},
	{"", "pextrw #i,#x,#d"},
	{"", "pextrd #i,#x,#d"},
	{"", "pextrq #i,#x,#q"},
	{"", "extractps #i,#x,#d"},
	{"", "insertps #i,#x,#x"},
	{"", "pmovzxbw #x,#x"},
	{"", "pmovzxbd #x,#x"},
	{"", "pmovzxbq #x,#x"},
	{"", "pmovzxwd #x,#x"},
	{"", "pmovzxwq #x,#x"},
	{"", "pmovzxdq #x,#x"},
	{"", "pmovsxbw #x,#x"},
	{"", "pmovsxbd #x,#x"},
	{"", "pmovsxbq #x,#x"},
	{"", "pmovsxwd #x,#x"},
	{"", "pmovsxwq #x,#x"},
	{"", "pmovsxdq #x,#x"},
	{"", "vpmovzxbw #x,#y"},
	{"", "vpmovsxwd #x,#y"},
	{"", "pabsb #x,#x"},
	{"", "pabsw #x,#x"},
	{"", "pabsd #x,#x"},
	{"", "vpabsb #y,#y"},
	{"", "vpabsw #y,#y"},
	{"", "vpabsd #y,#y"},
	{"", "pblendw #i,#x,#x"},
	{"", "vpblendd #i,#y,#y,#y"},
	{"", "pblendvb %xmm0,#x,#x"},
	{"", "blendvps %xmm0,#x,#x"},
	{"", "blendvpd %xmm0,#x,#x"},
	{"", "vpblendvb #y,#y,#y,#y"},
	{"", "ptest #x,#x; set#C #b"},
	{"", "vptest #y,#y; set#C #b"},
	{"", "pclmulqdq #i,#x,#x"},
	{"", "vpermd #y,#y,#y"},
	{"", "vpermq #i,#y,#y"},
	{"", "vpermilps #x,#x,#x"},
	{"", "vperm2i128 #i,#y,#y,#y"},
	{"", "vinserti128 #i,#x,#y,#y"},
	{"", "vextracti128 #i,#y,#x"},
	{"", "vpbroadcastb #x,#y"},
	{"", "vpbroadcastw #x,#y"},
	{"", "vpbroadcastd #x,#y"},
	{"", "vpbroadcastq #x,#y"},
	{"", "vmovdqu #y,#A"},
	{"", "vmovdqu #A,#y"},
	{"", "movdqu #x,#M"},
	{"", "movdqu #M,#x"},
	{"", "pcmpistri $0x00,#x,#x; set#C #b"},
	{"", "pcmpistri $0x02,#x,#x"},
	{"", "pcmpistri $0x12,#x,#x; set#C #b"},
	{"", "pcmpistri $0x1a,#x,#x"},
	{"", "pcmpistri $0x3a,#x,#x"},
	{"", "pcmpistri $0x38,#x,#x"},
	{"", "pcmpistri $0x0c,#x,#x"},
	{"", "pcmpistri $0x44,#x,#x"},
	{"", "pcmpistri $0x46,#x,#x"},
	{"", "pcmpistri $0x4a,#x,#x; set#C #b"},
	{"", "pcmpistri $0x14,#x,#x"},
	{"", "pcmpistri $0x30,#x,#x"},
	{"", "pcmpistri $0x0d,#x,#x"},
	{"", "pcmpistri $0x13,#x,#x"},
	{"", "pcmpistri $0x19,#x,#x"},
	{"", "pcmpistri $0x45,#x,#x"},
	{"", "movzbl %al,%eax; movzbl %dl,%edx; pcmpestri $0x00,#x,#x; set#C #b"},
	{"", "movsbl %al,%eax; movsbl %dl,%edx; pcmpestri $0x18,#x,#x; set#C #b"},
	{"", "andl $31,%eax; andl $15,%edx; pcmpestri $0x0c,#x,#x"},
	{"", "andl $31,%eax; andl $15,%edx; pcmpestri $0x0d,#x,#x"},
	{"", "psllw #n,#m"},
	{"", "pslld #n,#m"},
	{"", "psllq #n,#m"},
	{"", "psrlw #n,#m"},
	{"", "psrld #n,#m"},
	{"", "psrlq #n,#m"},
	{"", "psraw #n,#m"},
	{"", "psrad #n,#m"},
	{"", "psraw #m,#m"},
	{"", "pshufw #i,#m,#m"},
	{"", "palignr #i,#m,#m"},
	{"", "pmovmskb #m,#d"},
	{"", "pinsrw #i,#d,#m"},
	{"", "pextrw #i,#m,#d"},
	{"", "pabsb #m,#m"},
	{"", "pabsw #m,#m"},
	{"", "pabsd #m,#m"},
	{"", "movq2dq #m,#x"},
	{"", "movdq2q #x,#m"},
	{"", "movq #m,#q"},
	{"", "movd #d,#m"},
};

/* ---- operands ---- */

static const char *const registers[][4] = {
	{"%al", "%ax", "%eax", "%rax"},      {"%cl", "%cx", "%ecx", "%rcx"},      {"%dl", "%dx", "%edx", "%rdx"},
	{"%bl", "%bx", "%ebx", "%rbx"},      {"%bpl", "%bp", "%ebp", "%rbp"},     {"%r8b", "%r8w", "%r8d", "%r8"},
	{"%r9b", "%r9w", "%r9d", "%r9"},     {"%r10b", "%r10w", "%r10d", "%r10"}, {"%r11b", "%r11w", "%r11d", "%r11"},
	{"%r12b", "%r12w", "%r12d", "%r12"}, {"%r13b", "%r13w", "%r13d", "%r13"}, {"%r14b", "%r14w", "%r14d", "%r14"},
	{"%r15b", "%r15w", "%r15d", "%r15"},
};
static const char *const high_registers[] = {"%ah", "%bh", "%ch", "%dh"};
static const char *const conditions[] = {"o", "no", "b", "nb", "z", "nz", "be", "nbe",
					 "s", "ns", "p", "np", "l", "nl", "le", "nle"};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define VECTORS 8 /* registers that are used */

static uint64_t random_state;

static unsigned below(unsigned limit)
{
	return (unsigned)random_below(&random_state, limit);
}

/* The same register for all #N of one instruction. */
static unsigned other_register;

static const char *register_of(unsigned number, char size)
{
	return registers[number][size == 'b' ? 0 : size == 'w' ? 1 : size == 'l' ? 2 : 3];
}

/* A constant that an instruction of this size can hold; most instructions of 64 bits hold 32. */
static void print_constant(char size)
{
	static const int32_t edges[] = {0, 1, -1, 2, 15, 16, 127, -128};
	int32_t value = below(3) ? (int32_t)random_next(&random_state) : edges[below(COUNT(edges))];

	if (size == 'b')
		value %= 128;
	else if (size == 'w')
		value %= 32768;
	printf("$%" PRId32, value);
}

/* How far to shift; lanes of vectors are often small. */
static unsigned bits_for(char size)
{
	switch (size) {
	case 'b': return 10;
	case 'w': return 18;
	case 'l': return 32;
	case 'q': return 64;
	default: return below(2) ? 16 : 64;
	}
}

static void print_operand(char kind, char size)
{
	switch (kind) {
	case 'R': fputs(register_of(below(COUNT(registers)), size), stdout); break;
	case 'N': fputs(register_of(other_register, size), stdout); break;
	case 'b': fputs(register_of(below(COUNT(registers)), 'b'), stdout); break;
	case 'w': fputs(register_of(below(COUNT(registers)), 'w'), stdout); break;
	case 'd': fputs(register_of(below(COUNT(registers)), 'l'), stdout); break;
	case 'q': fputs(register_of(below(COUNT(registers)), 'q'), stdout); break;
	case 'h': fputs(high_registers[below(COUNT(high_registers))], stdout); break;
	case 'C': fputs(conditions[below(COUNT(conditions))], stdout); break;
	case 'M': printf("%u(%%rdi)", below(SCRATCH / 8 - 2) * 8); break;
	case 'A': printf("%u(%%rdi)", below(SCRATCH / 32) * 32); break;
	case 'I': print_constant(size); break;
	case 'L': printf("$0x%" PRIx64, random_next(&random_state)); break;
	case 'i': printf("$%u", below(8) ? below(32) : below(256)); break;
	case 'n': printf("$%u", below(bits_for(size))); break;
	case 'x': printf("%%xmm%u", below(VECTORS)); break;
	case 'y': printf("%%ymm%u", below(VECTORS)); break;
	case 'm': printf("%%mm%u", below(8)); break;
	default: abort();
	}
}

/* ---- instructions ---- */

static void print_sized(const struct instruction *instruction, char size)
{
	other_register = 3 + below(COUNT(registers) - 3);
	fputs("\t\"", stdout);
	for (const char *p = instruction->text; *p; p++) {
		if (*p == '@')
			putchar(size);
		else if (*p == '#')
			print_operand(*++p, size);
		else
			putchar(*p);
	}
	fputs("\\n\"\n", stdout);
}

static void print_instruction(const struct instruction *instruction)
{
	size_t sizes = strlen(instruction->sizes);

	print_sized(instruction, sizes ? instruction->sizes[below((unsigned)sizes)] : ' ');
}

struct list {
	VEC_OF(struct instruction) all;
	size_t next;
};

static void list_add(struct list *list, const char *text)
{
	vec_push(&list->all, ((struct instruction){"", text}));
}

/* Add a vector instruction of this name, in all forms that it has. */
static void list_add_vector(struct list *list, const char *name)
{
	static const char *const forms[] = {"%s #x,#x", "%s #A,#x", "v%s #x,#x,#x", "v%s #y,#y,#y"};

	for (size_t i = 0; i < COUNT(forms); i++) {
		char *text;

		if (asprintf(&text, forms[i], name) < 0)
			abort();
		list_add(list, text);
	}
}

static void list_add_mmx(struct list *list, const char *name)
{
	char *text;

	if (asprintf(&text, "%s #m,#m", name) < 0)
		abort();
	list_add(list, text);
}

static void list_shuffle(struct list *list)
{
	for (size_t i = list->all.count; i > 1; i--) {
		size_t other = below((unsigned)i);
		struct instruction swap = list->all.at[i - 1];

		list->all.at[i - 1] = list->all.at[other];
		list->all.at[other] = swap;
	}
}

/* All instructions, in a random sequence. */
static struct list list_make(void)
{
	struct list list = {0};

	/* Integer instructions exist in several sizes, and their flags can be used in many ways. */
	for (size_t i = 0; i < 4 * COUNT(integer); i++)
		vec_push(&list.all, integer[i % COUNT(integer)]);
	for (size_t i = 0; i < COUNT(vector); i++)
		vec_push(&list.all, vector[i]);
	for (size_t i = 0; i < COUNT(vector_names); i++)
		list_add_vector(&list, vector_names[i]);
	for (size_t i = 0; i < COUNT(mmx_names); i++)
		list_add_mmx(&list, mmx_names[i]);
	list_shuffle(&list);
	return list;
}

/* ---- the program ---- */

static void print_loads(void)
{
	for (size_t i = 0; i < COUNT(registers); i++)
		printf("\t\"movq %u(%%rsi),%s\\n\"\n", below(WINDOW - 8), registers[i][3]);
	for (unsigned i = 0; i < VECTORS; i++)
		printf("\t\"vmovdqu %u(%%rsi),%%ymm%u\\n\"\n", below(WINDOW - 32), i);
	for (unsigned i = 0; i < 8; i++)
		printf("\t\"movq %u(%%rsi),%%mm%u\\n\"\n", below(WINDOW - 8), i);
}

static void print_stores(void)
{
	for (size_t i = 0; i < COUNT(registers); i++)
		printf("\t\"movq %s,%u(%%rdi)\\n\"\n", registers[i][3], below(SCRATCH / 8) * 8);
	for (unsigned i = 0; i < VECTORS; i++)
		printf("\t\"vmovdqu %%ymm%u,%u(%%rdi)\\n\"\n", i, below(SCRATCH / 32) * 32);
}

static void begin_block(unsigned number)
{
	printf("__asm__(\".text\\nblock_%u:\\n\"\n\t\"push %%rbx; push %%rbp; push %%r12; push %%r13; push %%r14; push "
	       "%%r15\\n\"\n",
	       number);
	print_loads();
}

static void end_block(void)
{
	print_stores();
	printf("\t\"emms; vzeroupper\\n\"\n\t\"pop %%r15; pop %%r14; pop %%r13; pop %%r12; pop %%rbp; pop %%rbx; "
	       "ret\\n\");\n\n");
}

static void print_block(unsigned number, struct list *list)
{
	begin_block(number);
	for (unsigned i = 0; i < INSTRUCTIONS; i++) {
		print_instruction(&list->all.at[list->next++ % list->all.count]);
		if (below(3) == 0)
			print_instruction(&conditional[below(COUNT(conditional))]);
		if (has_decisions && below(8) == 0)
			print_instruction(&deciding[below(COUNT(deciding))]);
	}
	end_block();
}

/* An instruction, and all uses of its flags. */
static void print_flags_block(unsigned number, const struct instruction *instruction, char size)
{
	begin_block(number);
	for (size_t i = 0; i < COUNT(conditions); i++) {
		print_sized(instruction, size);
		printf("\t\"set%s %s\\n\"\n", conditions[i], register_of(below(COUNT(registers)), 'b'));
	}
	for (size_t i = 0; i < COUNT(conditional); i++) {
		print_sized(instruction, size);
		print_instruction(&conditional[i]);
	}
	end_block();
}

static void print_main(unsigned blocks)
{
	printf("#include <stdint.h>\n#include <stdlib.h>\n#include <unistd.h>\n\n"
	       "static uint8_t input[%d];\n"
	       "static uint8_t scratch[%d] __attribute__((aligned(32)));\n"
	       "typedef void block(uint8_t *scratch, const uint8_t *input);\n"
	       "extern block *const blocks[] __attribute__((visibility(\"hidden\")));\n\n"
	       "int main(int argc, char **argv)\n{\n"
	       "\tunsigned rounds = argc > 1 ? (unsigned)atoi(argv[1]) : 1;\n"
	       "\tssize_t size = 0, n;\n\n"
	       "\twhile ((n = read(0, input + size, sizeof(input) - (size_t)size)) > 0)\n\t\tsize += n;\n"
	       "\tfor (unsigned round = 0; round < rounds; round++) {\n"
	       "\t\tfor (unsigned i = 0; i < %u; i++)\n"
	       "\t\t\tblocks[i](scratch, input + (round * 1031 + i * 37) %% (sizeof(input) - %d));\n\t}\n"
	       "\treturn 0;\n}\n",
	       INPUT, SCRATCH, blocks, WINDOW);
}

/* Runs of bytes: random ones, the same one, copies of earlier ones.  Instructions shall find equal and extreme numbers. */
static void print_input(void)
{
	static const uint8_t extremes[] = {0, 1, 0x7f, 0x80, 0xff};
	uint8_t bytes[INPUT] = {0};

	for (size_t i = 0; i < INPUT;) {
		unsigned how = below(4), from = i > WINDOW ? below((unsigned)i - WINDOW) : 0;
		uint8_t extreme = extremes[below(COUNT(extremes))];

		for (size_t end = i + 1 + below(24); i < end && i < INPUT; i++, from++)
			bytes[i] = how == 0 ? extreme : how == 1 ? bytes[from] : (uint8_t)random_next(&random_state);
	}
	fwrite(bytes, 1, sizeof(bytes), stdout);
}

static void print_end(unsigned blocks)
{
	printf("__asm__(\".section .data.rel.ro,\\\"aw\\\"\\n.globl blocks\\nblocks:\\n\"\n");
	for (unsigned i = 0; i < blocks; i++)
		printf("\t\".quad block_%u\\n\"\n", i);
	printf("\t\".text\\n\");\n\n");
	print_main(blocks);
}

static void print_program(unsigned blocks)
{
	struct list list = list_make(); /* its texts live as long as the process */

	for (unsigned i = 0; i < blocks; i++)
		print_block(i, &list);
	print_end(blocks);
}

static void print_flags_program(void)
{
	unsigned blocks = 0;

	for (size_t i = 0; i < COUNT(integer); i++) {
		const char *sizes = *integer[i].sizes ? integer[i].sizes : " ";

		for (; *sizes; sizes++)
			print_flags_block(blocks++, &integer[i], *sizes);
	}
	print_end(blocks);
}

int main(int argc, char **argv)
{
	bool is_option = argc == 3 && !strncmp(argv[1], "--", 2);

	if (argc != 3 && argc != 4) {
		fprintf(stderr, "usage: instructions_random SEED BLOCKS [DECISIONS] | --flags SEED | --input SEED\n");
		return 2;
	}
	random_state = random_seed(strtoull(argv[is_option ? 2 : 1], NULL, 10), is_option);
	has_decisions = argc == 4 && strtoul(argv[3], NULL, 10);
	if (!is_option)
		print_program((unsigned)strtoul(argv[2], NULL, 10));
	else if (!strcmp(argv[1], "--flags"))
		print_flags_program();
	else
		print_input();
	return 0;
}
