/* SPDX-License-Identifier: GPL-2.0-or-later */
/* history.h - what happened to a finding's cache line before and after it: a second pass over the trace, for the
 * drawing in the report.
 *
 * Kept are the stores to the line, its flushes, and the fences and syncs that complete something of it; at most
 * HISTORY_BEFORE before the example and HISTORY_AFTER after it.  Only findings with a place in a pool have a history,
 * and only the first HISTORY_FINDINGS.
 *
 * What is pending is asked of the model of the finding's first platform, one model per line, which is fed with what
 * concerns that line alone: order between lines does not show in the drawing of one. */
#ifndef BLACKOUT_FINDING_HISTORY_H
#define BLACKOUT_FINDING_HISTORY_H

#include "finding/finding.h"

#define HISTORY_BEFORE 14
#define HISTORY_AFTER 6
#define HISTORY_REACH 500000 /* events after the example, on whatever lines, after which the trace is read no further */
#define HISTORY_FINDINGS 400

/* Read the recording in `dir` again and fill `events` of the findings. */
int history_collect(struct findings *findings, const char *dir, struct symbols *symbols,
		    const struct findings_options *options, struct err *err);

#endif
