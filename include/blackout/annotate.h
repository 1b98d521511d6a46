/* SPDX-License-Identifier: 0BSD */
/* annotate.h - tell Blackout's recorder what a program is doing.
 *
 *     #include <blackout/annotate.h>
 *
 *     BLACKOUT_OP_BEGIN("put k7");       // text, or NULL
 *     store_put(store, "k7", value);
 *     BLACKOUT_OP_END();
 *
 * Record with `--op-marks annotated`.  Operations are counted from 0, in the sequence in which they begin.  If they are
 * nested in a thread, the outermost one counts.  Operations of several threads may overlap.
 *
 * Outside of the recorder, each macro costs a few instructions that change nothing, on x86-64; on other machines it is
 * empty.  The header needs no library and no other header, in C and in C++.  New requests are only added at the end, so
 * a program that was compiled with an old version of this file works with every newer recorder. */
#ifndef BLACKOUT_ANNOTATE_H
#define BLACKOUT_ANNOTATE_H

#define BLACKOUT_ANNOTATE_VERSION 1

#define BLACKOUT_TEXT_MAX 256 /* longer texts are cut */

/* Numbers of the requests: "BO" and a number.  They never change. */
#define BLACKOUT_REQUEST_BASE 0x424f0000ul
#define BLACKOUT_REQUEST_BEGIN (BLACKOUT_REQUEST_BASE + 1)
#define BLACKOUT_REQUEST_END (BLACKOUT_REQUEST_BASE + 2)
#define BLACKOUT_REQUEST_DURABLE (BLACKOUT_REQUEST_BASE + 3)

/* The four rotations add up to 128 bits: they restore the register.  Valgrind recognizes the sequence. */
#if defined(__x86_64__) && !defined(__ILP32__)
#define BLACKOUT_REQUEST(number, argument)                                                                       \
	do {                                                                                                     \
		volatile unsigned long blackout_request_[6] = {(number), (unsigned long)(argument), 0, 0, 0, 0}; \
		unsigned long blackout_result_ = 0;                                                              \
		__asm__ volatile(                                                                                \
			"rolq $3, %%rdi; rolq $13, %%rdi; rolq $61, %%rdi; rolq $51, %%rdi; xchgq %%rbx, %%rbx"  \
			: "+d"(blackout_result_)                                                                 \
			: "a"(&blackout_request_[0])                                                             \
			: "cc", "memory");                                                                       \
		(void)blackout_result_;                                                                          \
	} while (0)
#else
#define BLACKOUT_REQUEST(number, argument) ((void)(argument))
#endif

/* An operation begins and ends.  It ends in the thread that began it. */
#define BLACKOUT_OP_BEGIN(text) BLACKOUT_REQUEST(BLACKOUT_REQUEST_BEGIN, (text))
#define BLACKOUT_OP_END() BLACKOUT_REQUEST(BLACKOUT_REQUEST_END, 0ul)

/* The program relies on this: everything that it did so far survives a power failure from here on.  Recorded as a note
 * with every kind of operation marks. */
#define BLACKOUT_DURABLE() BLACKOUT_REQUEST(BLACKOUT_REQUEST_DURABLE, 0ul)

#endif
