/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pair.h - what the pairs have in common.
 *
 * X-buggy.c has one mistake; what must be reported stands beside the line where it must be reported, as
 *
 *     ST8(p, 2); //! missing-flush error
 *
 * and nothing else may be.  X-fixed.c is the same program without the mistake: nothing may be reported.  Comments near
 * the top that the tests read, besides those of target.h:
 *
 *     // run: --platform eadr        options of `blackout run`
 *     // also: performance              the fixed program may have findings that are none of the buggy one's kinds, and no errors
 *
 * A finding of an invariant names two stores.  The other one has the rule beside it:
 *
 *     ST8(&pool->key, 7);   //! ordering-violation error
 *     ST8(&pool->token, 1); //+ RO3
 *
 * Lines are LINE bytes apart; p is the pool, zeroed. */
#ifndef PAIR_H
#define PAIR_H

#include "target.h"

#define LINE 64
#define NT8(p, v) __asm__ volatile("movnti %1, (%0)" : : "r"(p), "r"((uint64_t)(v)) : "memory")
#define LOCKED_ADD(p) __asm__ volatile("lock addq $1, (%0)" : : "r"(p) : "memory")

/* Write the line of p back, and wait until it is on media. */
#define PERSIST(p)        \
	do {              \
		CLWB(p);  \
		SFENCE(); \
	} while (0)

#endif
