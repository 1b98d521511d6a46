/* SPDX-License-Identifier: GPL-2.0-or-later */
/* merge.h - what several detectors found at one place is one finding. */
#ifndef BLACKOUT_FINDING_MERGE_H
#define BLACKOUT_FINDING_MERGE_H

#include "finding/finding.h"

/* Findings about durability and order, and data that nobody flushes, at the place of a crash finding become a part of
 * it (finding_also): they say in general what it shows.  Call it before findings are numbered and silenced. */
void findings_merge(struct findings *findings);

#endif
