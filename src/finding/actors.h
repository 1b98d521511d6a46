/* SPDX-License-Identifier: GPL-2.0-or-later */
/* actors.h - who made the stores that findings name: a pass over the trace for what only the events tell.
 *
 *  1. Where the recording has several threads, the thread of each store of a crash finding, and of the instruction
 *     before which the power failed.
 *  2. Whether the store that a finding is about was made inside a libpmemobj transaction.  Then a flush is no remedy: a
 *     transaction that is rolled back would leave it.  The fix is to add the range (FIX_ADD).
 *
 * A thread is inside a transaction from an event of pmemobj_tx_begin, or of any other pmemobj_tx_ function, to the next
 * event of pmemobj_tx_commit, _abort, _process or _end.  The outermost begin and the end of the outermost commit or
 * abort have events of their own in any case: the library takes and gives back a lane by locked instructions.  Inner
 * transactions have none, and change nothing. */
#ifndef BLACKOUT_FINDING_ACTORS_H
#define BLACKOUT_FINDING_ACTORS_H

#include "finding/finding.h"

/* Read the recording in `dir` again, as far as it is needed, if it is at all.  Nested crash findings, whose events are
 * of another recording, stay as they are. */
int actors_collect(struct findings *findings, const char *dir, struct symbols *symbols, struct err *err);

#endif
