/* SPDX-License-Identifier: GPL-2.0-or-later */
/* evidence.h - what is left unflushed is judged again, by those who know names and lines of source: a bug, or not?
 *
 *  1. A detector knows calling contexts, that is, instructions.  One line of source may be many of them: an unrolled
 *     loop, an inlined function, a copy that takes several stores.  What looks to it like data that nobody ever flushes
 *     is a missing flush if what the same line of the user's code, called in the same way, stores at other times is
 *     made persistent.  Lines that are folded but compiled in with the user's code, templates of a library, must be the
 *     same too.
 *
 *  2. Data that nobody flushes are overwritten unflushed as a matter of course.  Where they are reported as transient,
 *     dirty overwrites of the same lines of source are not.  Nor are any in a run that writes everything back by syncs
 *     after its last store (sink_at_end).
 *
 *  3. What was stored to an object that is then freed, or in a transaction that is then aborted, need not be flushed,
 *     and the line may have been flushed in an earlier life.  The trace does not tell which objects these are.  In a
 *     run that frees or aborts by libpmemobj, a missing flush is therefore not certain: a warning. */
#ifndef BLACKOUT_FINDING_EVIDENCE_H
#define BLACKOUT_FINDING_EVIDENCE_H

#include "base/map.h"
#include "finding/stacks.h"

struct evidence {
	struct map transient; /* hashes of lines of source that store transient data */
	bool at_end;          /* all was written back after the last store */
};

/* Judge the entries of a sink.  evidence_free frees what is learned. */
void evidence_apply(struct evidence *evidence, struct stacks *stacks, struct sink *sink);
void evidence_free(struct evidence *evidence);

/* Is this sighting implied by another? */
bool evidence_implies(const struct evidence *evidence, struct stacks *stacks, const struct sighting *sighting);

#endif
