/* SPDX-License-Identifier: 0BSD */
/* atomicity.h - how the recorder finds the runtime of blackout-cc in a program or a shared library.
 *
 * A binary does not say which of its stores are plain, volatile or atomic in its source.  blackout-cc has the compiler
 * insert calls of `entries`: small functions of the runtime, one for each kind of access.  A plain or volatile access is
 * announced by a call right before it, or by an instruction that stands for the call.  An atomic access is the call itself: the entry does the operation, with the
 * order that its argument names.  Plain and volatile loads need not be announced.
 *
 * Every module that blackout-cc linked has its own copy of the runtime and an ELF note that lists the entries.  The note
 * is in a PT_NOTE segment, so that it can be found in a stripped file and in memory.  Its name is BO_ATOMICITY_NAME, its
 * type BO_ATOMICITY_TYPE, and its description is a struct bo_atomicity_table, followed by `entries` times a struct
 * bo_atomicity_entry of `entry_bytes` bytes each.  All places are relative to the field that has them, so the note needs
 * no relocation.
 *
 * A reader refuses a note of a newer version.  A version may add kinds, which a reader treats as BO_ENTRY_NOTHING, and
 * fields at the end of an entry, which it skips. */
#ifndef BLACKOUT_ATOMICITY_H
#define BLACKOUT_ATOMICITY_H

#include <stdint.h>

#define BO_ATOMICITY_NAME "Blackout"
#define BO_ATOMICITY_TYPE 1
#define BO_ATOMICITY_VERSION 3 /* since 2: BO_INLINE_LOADS; since 3: BO_INLINE_STORES */

/* What an entry does.  These are macros, because the runtime uses them in assembly. */
#define BO_ENTRY_NOTHING 0       /* the start or the end of a function, for example */
#define BO_ENTRY_READ 1          /* announces a load */
#define BO_ENTRY_WRITE 2         /* announces a store */
#define BO_ENTRY_READ_WRITE 3    /* announces a load and a store of the same bytes */
#define BO_ENTRY_ATOMIC_LOAD 4   /* loads */
#define BO_ENTRY_ATOMIC_STORE 5  /* stores */
#define BO_ENTRY_ATOMIC_UPDATE 6 /* exchanges or computes: one locked operation takes effect */
#define BO_ENTRY_COMPARE 7       /* compares and exchanges: loads, and stores if the comparison succeeds */
#define BO_ENTRY_THREAD_FENCE 8
#define BO_ENTRY_SIGNAL_FENCE 9
#define BO_ENTRY_COPY 10 /* memcpy and memmove: arguments as theirs */
#define BO_ENTRY_FILL 11 /* memset: arguments as its */

/* Bits of `flags`. */
#define BO_ENTRY_VOLATILE 1  /* the access is volatile in the source */
#define BO_ENTRY_UNALIGNED 2 /* the compiler does not know that the address is aligned */
#define BO_ENTRY_VPTR 4      /* the pointer to the virtual functions of a C++ object */

/* Arguments are counted from 1: the first six are in rdi, rsi, rdx, rcx, r8 and r9, and the seventh is the word above
 * the return address.  0: there is none.  A value of 16 bytes takes two.  Argument 1 of every access is its address.
 * Orders are the numbers of the compiler's __ATOMIC_RELAXED (0) to __ATOMIC_SEQ_CST (5), in the low 8 bits. */
struct bo_atomicity_entry {
	int32_t place; /* of its first instruction */
	uint8_t kind;
	uint8_t bytes; /* of the access; 0: an argument says it */
	uint8_t flags;
	uint8_t size_argument;
	uint8_t order_argument;
	uint8_t failure_argument; /* the order if the comparison fails */
	uint8_t zero[2];
};

/* An atomic load of up to 8 bytes may stand in its caller's code, in place of a call of its entry.  It is one instruction,
 * in a form that no compiler uses: its operand is rdi with an index that is none, and the scale of the index, which has
 * no effect, tells the order.
 *
 * X(BYTES, NAME, RESULT, CODE): the instruction and its register for the assembler, and its bytes up to the one that has
 * the scale, its highest two bits. */
#define BO_INLINE_LOADS(X)                     \
	X(1, "movzbl", "%eax", "\x0f\xb6\x04") \
	X(2, "movzwl", "%eax", "\x0f\xb7\x04") \
	X(4, "movl", "%eax", "\x8b\x04")       \
	X(8, "movq", "%rax", "\x48\x8b\x04")
#define BO_INLINE_SCALE 0x27 /* of 1 */
/* X(ORDER, SCALE): the other orders are none of loads. */
#define BO_INLINE_ORDERS(X)   \
	X(0, 1) /* relaxed */ \
	X(1, 2) /* consume */ \
	X(2, 4) /* acquire */ \
	X(5, 8) /* seq_cst */

/* A plain or volatile store of up to 16 bytes may be announced by an instruction in place of a call.  It is a NOP, so it costs
 * next to nothing without the recorder.  Its operand is the memory that is stored to next; compilers and assemblers that
 * fill gaps with NOPs do not give them these prefixes.
 *
 * X(BYTES, FLAGS, NAME, PREFIX, WORD): the instruction for the assembler; the byte before it, which is a prefix without
 * effect; and the size of the operand, which the name stands for. */
#define BO_INLINE_STORES(X)                      \
	X(1, 0, "nopw", 0x64, 2)                 \
	X(2, 0, "nopw", 0x26, 2)                 \
	X(4, 0, "nopl", 0x26, 4)                 \
	X(8, 0, "nopq", 0x26, 8)                 \
	X(16, 0, "nopl", 0x64, 4)                \
	X(1, BO_ENTRY_VOLATILE, "nopw", 0x65, 2) \
	X(2, BO_ENTRY_VOLATILE, "nopw", 0x36, 2) \
	X(4, BO_ENTRY_VOLATILE, "nopl", 0x36, 4) \
	X(8, BO_ENTRY_VOLATILE, "nopq", 0x36, 8) \
	X(16, BO_ENTRY_VOLATILE, "nopl", 0x65, 4)

struct bo_atomicity_table {
	uint32_t version;
	uint32_t entry_bytes;
	uint32_t entries;
	int32_t code_begin, code_end; /* all entries; code elsewhere that calls them is not the runtime's */
};

#endif
