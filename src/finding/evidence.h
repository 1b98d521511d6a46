/* SPDX-License-Identifier: GPL-2.0-or-later */
/* evidence.h - the same code stores here and there: a bug, or volatile data?
 *
 * A detector knows calling contexts, that is, instructions.  One line of source may be many of them: an unrolled loop, an inlined function, a
 * copy that takes several stores.  So what looks to the detector like data that nobody ever flushes is judged again here, by
 * lines: if what the same line of the user's code, called in the same way, stores at other times is made persistent, it is a missing flush. */
#ifndef BLACKOUT_FINDING_EVIDENCE_H
#define BLACKOUT_FINDING_EVIDENCE_H

#include "finding/stacks.h"

/* Turn transient-data of the sink into missing-flush where its own evidence says so. */
void evidence_apply(struct stacks *stacks, struct sink *sink);

#endif
