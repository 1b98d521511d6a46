/* SPDX-License-Identifier: 0BSD */
/* The runtime of blackout-cc: what -fsanitize=thread has compilers call, in place of libtsan.
 *
 * Outside the recorder a call does what the source says and nothing else.  The recorder knows the addresses of the
 * entries (blackout/atomicity.h) and reads their arguments.  So each entry must be a function of its own:
 *
 *  - Its name is in its code, as a comment of the assembler, or gcc would merge entries with the same code.
 *  - All are in one section, because linkers merge whole sections.
 *  - They are hidden, so that every module calls its own, directly.  They are weak, so that nothing breaks if a module
 *    has two copies of them, or a program its own ones.
 *
 * An entry adds no fence that the program has not: on x86 only a sequentially consistent store or fence needs one.  It
 * takes no lock and needs no library; so it can be called from signal handlers and after fork. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "atomic128.h"
#include "entries.h"

#define TEXT_SECTION "blackout_text" /* linkers define symbols for its start and end */

#define ENTRY(RESULT, NAME, ...)                                                           \
	RESULT __tsan_##NAME(__VA_ARGS__);                                                 \
	__attribute__((noinline, used, weak, visibility("hidden"), section(TEXT_SECTION))) \
	RESULT __tsan_##NAME(__VA_ARGS__)

/* Keeps equal functions apart. */
#define UNIQUE(NAME) __asm__ volatile("/* " #NAME " */")

#define EMPTY(NAME, KIND, BYTES, FLAGS, SIZE, ORDER, FAILURE) \
	ENTRY(void, NAME, void)                               \
	{                                                     \
		UNIQUE(NAME);                                 \
	}
EMPTY_ENTRIES(EMPTY)

typedef uint8_t a8;
typedef uint16_t a16;
typedef uint32_t a32;
typedef uint64_t a64;

/* Compilers put hints into the high bits. */
static inline bool sequential(int order)
{
	return (order & 0xff) == __ATOMIC_SEQ_CST;
}

#define LOAD_STORE(BITS)                                                                       \
	ENTRY(a##BITS, atomic##BITS##_load, volatile a##BITS *p, int order)                    \
	{                                                                                      \
		UNIQUE(load##BITS);                                                            \
		(void)order; /* every load of x86 has acquire order, which is enough */        \
		return __atomic_load_n(p, __ATOMIC_SEQ_CST);                                   \
	}                                                                                      \
	ENTRY(void, atomic##BITS##_store, volatile a##BITS *p, a##BITS value, int order)       \
	{                                                                                      \
		UNIQUE(store##BITS);                                                           \
		if (sequential(order))                                                         \
			__atomic_store_n(p, value, __ATOMIC_SEQ_CST);                          \
		else                                                                           \
			__atomic_store_n(p, value, __ATOMIC_RELEASE);                          \
	}                                                                                      \
	ENTRY(a##BITS, atomic##BITS##_exchange, volatile a##BITS *p, a##BITS value, int order) \
	{                                                                                      \
		UNIQUE(exchange##BITS);                                                        \
		(void)order; /* a locked instruction has every order */                        \
		return __atomic_exchange_n(p, value, __ATOMIC_SEQ_CST);                        \
	}

#define FETCH(BITS, OP)                                                                          \
	ENTRY(a##BITS, atomic##BITS##_fetch_##OP, volatile a##BITS *p, a##BITS value, int order) \
	{                                                                                        \
		UNIQUE(OP##BITS);                                                                \
		(void)order;                                                                     \
		return __atomic_fetch_##OP(p, value, __ATOMIC_SEQ_CST);                          \
	}

#define COMPARE_EXCHANGE(BITS, STRENGTH)                                                                \
	ENTRY(bool, atomic##BITS##_compare_exchange_##STRENGTH, volatile a##BITS *p, a##BITS *expected, \
	      a##BITS desired, int order, int failure)                                                  \
	{                                                                                               \
		UNIQUE(STRENGTH##BITS);                                                                 \
		(void)order, (void)failure;                                                             \
		return COMPARE(BITS, p, expected, desired);                                             \
	}

#define COMPARE_EXCHANGE_VAL(BITS)                                                                                  \
	ENTRY(a##BITS, atomic##BITS##_compare_exchange_val, volatile a##BITS *p, a##BITS expected, a##BITS desired, \
	      int order, int failure)                                                                               \
	{                                                                                                           \
		UNIQUE(val##BITS);                                                                                  \
		(void)order, (void)failure;                                                                         \
		COMPARE(BITS, p, &expected, desired);                                                               \
		return expected;                                                                                    \
	}

#define ATOMIC(BITS)                   \
	LOAD_STORE(BITS)               \
	FETCH(BITS, add)               \
	FETCH(BITS, sub)               \
	FETCH(BITS, and)               \
	FETCH(BITS, or)                \
	FETCH(BITS, xor)               \
	FETCH(BITS, nand)              \
	COMPARE_EXCHANGE(BITS, strong) \
	COMPARE_EXCHANGE(BITS, weak)   \
	COMPARE_EXCHANGE_VAL(BITS)

#define COMPARE(BITS, P, EXPECTED, DESIRED) \
	__atomic_compare_exchange_n(P, EXPECTED, DESIRED, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)
ATOMIC(8)
ATOMIC(16)
ATOMIC(32)
ATOMIC(64)
#undef COMPARE

#define COMPARE(BITS, P, EXPECTED, DESIRED) a128_compare_exchange(P, EXPECTED, DESIRED)
COMPARE_EXCHANGE(128, strong)
COMPARE_EXCHANGE(128, weak)
COMPARE_EXCHANGE_VAL(128)

ENTRY(a128, atomic128_load, volatile a128 *p, int order)
{
	(void)order;
	return a128_load(p);
}

ENTRY(void, atomic128_store, volatile a128 *p, a128 value, int order)
{
	a128_store(p, value, sequential(order));
}

ENTRY(a128, atomic128_exchange, volatile a128 *p, a128 value, int order)
{
	(void)order;
	return a128_exchange(p, value);
}

#define FETCH128(NAME, RESULT)                                                       \
	ENTRY(a128, atomic128_fetch_##NAME, volatile a128 *p, a128 value, int order) \
	{                                                                            \
		a128 old = a128_guess(p);                                            \
                                                                                     \
		(void)order;                                                         \
		while (!a128_compare_exchange(p, &old, RESULT))                      \
			;                                                            \
		return old;                                                          \
	}
FETCH128(add, old + value)
FETCH128(sub, old - value)
FETCH128(and, old &value)
FETCH128(or, old | value)
FETCH128(xor, old ^ value)
FETCH128(nand, ~(old &value))

ENTRY(void, atomic_thread_fence, int order)
{
	if (sequential(order))
		__atomic_thread_fence(__ATOMIC_SEQ_CST);
}

/* The call itself keeps the compiler from moving accesses. */
ENTRY(void, atomic_signal_fence, int order)
{
	UNIQUE(atomic_signal_fence);
	(void)order;
}

/* The C library's, if the module is linked with it.  A weak reference does not ask for it. */
__attribute__((weak)) void *memcpy(void *to, const void *from, size_t bytes);
__attribute__((weak)) void *memmove(void *to, const void *from, size_t bytes);
__attribute__((weak)) void *memset(void *to, int byte, size_t bytes);

ENTRY(void *, memcpy, void *to, const void *from, size_t bytes)
{
	void *at = to;

	if (memcpy)
		return memcpy(to, from, bytes);
	__asm__ volatile("rep movsb" : "+D"(at), "+S"(from), "+c"(bytes) : : "memory");
	return to;
}

ENTRY(void *, memmove, void *to, const void *from, size_t bytes)
{
	char *at = to;
	const char *source = from;

	if (memmove)
		return memmove(to, from, bytes);
	if ((uintptr_t)to - (uintptr_t)from >= bytes)
		return __tsan_memcpy(to, from, bytes);
	for (size_t i = bytes; i > 0; i--)
		((volatile char *)at)[i - 1] = source[i - 1]; /* volatile: or it becomes a call of memmove */
	return to;
}

ENTRY(void *, memset, void *to, int byte, size_t bytes)
{
	void *at = to;

	if (memset)
		return memset(to, byte, bytes);
	__asm__ volatile("rep stosb" : "+D"(at), "+c"(bytes) : "a"(byte) : "memory");
	return to;
}

/* The note: struct bo_atomicity_table and its entries.  An assembler counts them. */
#define TEXT(x) #x
#define VALUE(x) TEXT(x)
#define NOTE_ENTRY(NAME, KIND, BYTES, FLAGS, SIZE, ORDER, FAILURE) \
	"\t.hidden __tsan_" #NAME "\n"                             \
	"\t.long __tsan_" #NAME " - .\n"                           \
	"\t.byte " VALUE(KIND) ", " #BYTES ", " VALUE(FLAGS) ", " #SIZE ", " #ORDER ", " #FAILURE ", 0, 0\n"

_Static_assert(sizeof(struct bo_atomicity_entry) == 12, "NOTE_ENTRY writes 12 bytes");
_Static_assert(sizeof(struct bo_atomicity_table) == 20, "the note has five numbers before its entries");

__asm__("\t.pushsection .note.blackout,\"a\",@note\n"
	"\t.balign 4\n"
	"\t.long 2f - 1f, 4f - 3f, " VALUE(
		BO_ATOMICITY_TYPE) "\n"
				   "1:\t.asciz \"" BO_ATOMICITY_NAME "\"\n"
				   "2:\t.balign 4\n"
				   "3:\t.long " VALUE(BO_ATOMICITY_VERSION) ", 12, (4f - 5f) / 12\n"
									    "\t.hidden __start_" TEXT_SECTION "\n"
									    "\t.long __start_" TEXT_SECTION " - .\n"
									    "\t.hidden __stop_" TEXT_SECTION "\n"
									    "\t.long __stop_" TEXT_SECTION " - .\n"
									    "5:\n" ALL_ENTRIES(
										    NOTE_ENTRY) "4:\n"
												"\t.popsection\n");
