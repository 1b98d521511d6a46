/* SPDX-License-Identifier: GPL-2.0-or-later */
/* baseline.h - only what is new counts: findings that an earlier run had too are marked FINDING_KNOWN.
 *
 * A finding is the same if its fingerprint is (fingerprint.h says what it survives).  A known finding that has become
 * an error, and was none, is new. */
#ifndef BLACKOUT_FINDING_BASELINE_H
#define BLACKOUT_FINDING_BASELINE_H

#include "finding/finding.h"

/* Mark the active findings that are in `old` (report/reader.h reads it), whether they were active there or not. */
void baseline_apply(struct findings *findings, const struct findings *old);

#endif
