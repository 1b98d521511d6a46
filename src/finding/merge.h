/* SPDX-License-Identifier: GPL-2.0-or-later */
/* merge.h - merges the findings of several detectors at one place. */
#ifndef BLACKOUT_FINDING_MERGE_H
#define BLACKOUT_FINDING_MERGE_H

#include "finding/finding.h"

/* `other` becomes a part of `into` (finding_also), with what it has absorbed itself.  findings_drop_absorbed removes it. */
void finding_absorb(struct findings *findings, struct finding *into, struct finding *other);
void findings_drop_absorbed(struct findings *findings);

/* Findings about durability and ordering, and transient data, at the place of a crash finding become part of it
 * (finding_also): they state in general what the crash finding shows.  Call this before findings are numbered,
 * suppressed or compared with a baseline. */
void findings_merge(struct findings *findings);

#endif
