/* SPDX-License-Identifier: GPL-2.0-or-later */
/* evidence.h - what is left unflushed is judged again, by those who know names and lines of source: a bug, or not?
 *
 *  1. A detector knows calling contexts, that is, instructions.  One line of source may be many of them: an unrolled loop, an inlined function,
 *     a copy that takes several stores.  What looks to it like data that nobody ever flushes is a missing flush if what the same line
 *     of the user's code, called in the same way, stores at other times is made persistent.
 *
 *  2. What was stored to an object that is then freed, or in a transaction that is then aborted, need not be flushed, and the line may have been
 *     flushed in an earlier life.  The trace does not tell which objects these are.  In a run that frees or aborts by libpmemobj, a
 *     missing flush is therefore not certain: a warning. */
#ifndef BLACKOUT_FINDING_EVIDENCE_H
#define BLACKOUT_FINDING_EVIDENCE_H

#include "finding/stacks.h"

/* Judge the entries of a sink. */
void evidence_apply(struct stacks *stacks, struct sink *sink);

#endif
