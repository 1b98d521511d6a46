/* SPDX-License-Identifier: GPL-2.0-or-later */
/* actors.h - a pass over the trace that adds what only the events tell about the stores that findings name.
 *
 *  1. If the recording has several threads: the thread of each store of a crash finding, and of the instruction before
 *     which the power failed.
 *  2. Whether the store that a finding is about was made inside a libpmemobj transaction.  A flush is not the right fix
 *     there, because the store would remain after the transaction is rolled back.  The fix is to add the range to the
 *     transaction (FIX_ADD).
 *
 * A thread is inside a transaction from an event of pmemobj_tx_begin, or of any other pmemobj_tx_ function, to the
 * next event of pmemobj_tx_commit, _abort, _process or _end.  The outermost begin and the end of the outermost
 * commit or abort always have events of their own, because the library takes and releases a lane with locked
 * instructions.  Inner transactions have no such events, and do not matter. */
#ifndef BLACKOUT_FINDING_ACTORS_H
#define BLACKOUT_FINDING_ACTORS_H

#include "finding/finding.h"

/* Reads the recording in `dir` again, only as far as needed and only if needed.  Nested crash findings are not
 * changed: their events belong to another recording. */
int actors_collect(struct findings *findings, const char *dir, struct symbols *symbols, struct err *err);

#endif
