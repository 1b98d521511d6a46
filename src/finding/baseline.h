/* SPDX-License-Identifier: GPL-2.0-or-later */
/* baseline.h - marks findings that an earlier run also had as FINDING_KNOWN, so that only new findings count.
 *
 * Two findings are the same if their fingerprints are equal (fingerprint.h says which changes a fingerprint
 * survives).  A known finding that was not an error and now is one counts as new. */
#ifndef BLACKOUT_FINDING_BASELINE_H
#define BLACKOUT_FINDING_BASELINE_H

#include "finding/finding.h"

/* Marks the active findings that are in `old`, whether they were active there or not.  report/reader.h reads `old`. */
void baseline_apply(struct findings *findings, const struct findings *old);

#endif
