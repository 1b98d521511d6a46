/* SPDX-License-Identifier: GPL-2.0-or-later */
/* race.h - what the pairs about persistency races have in common: doc/RACES.md has the rules.
 *
 * They are compiled by blackout-cc, so that it is known which stores are plain; `// wrapped: gcc` names the compiler
 * that it runs.  The store that recovery may see torn has the finding, and every load that may see it a comment:
 *
 *     pool->value = 7;                        //! persistency-race warning
 *     if (pool->ready && pool->value != 7)    //+ load
 *
 * Stores to the pool are in C, unlike in the other pairs.  Flushes and fences are the macros of target.h. */
#ifndef RACE_H
#define RACE_H

#include <sched.h>

#include "crash.h"

/* Wait until another thread says that it is our turn.  This is only about time: nothing that the other thread did
 * before is known to have happened. */
#define AWAIT(turn, value)                                                 \
	do {                                                               \
		while (__atomic_load_n(turn, __ATOMIC_RELAXED) != (value)) \
			sched_yield();                                     \
	} while (0)

#define SAY(turn, value) __atomic_store_n(turn, value, __ATOMIC_RELAXED)

#endif
