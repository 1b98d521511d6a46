/* SPDX-License-Identifier: GPL-2.0-or-later */
/* history.h - collects the events on a finding's cache line, before and after it.  A second pass over the trace finds
 * them, for the drawing in the report.
 *
 * It keeps the stores to the line, its flushes, and the fences and syncs that complete something of it: at most
 * HISTORY_BEFORE before the example and HISTORY_AFTER after it.  Only findings with a place in a pool have a history,
 * and only the first HISTORY_FINDINGS of them.
 *
 * The model of the finding's first platform tells what is pending.  Each line has a model of its own, which receives
 * only the events of that line: ordering between lines is not visible in the drawing of one. */
#ifndef BLACKOUT_FINDING_HISTORY_H
#define BLACKOUT_FINDING_HISTORY_H

#include "finding/finding.h"

#define HISTORY_BEFORE 14
#define HISTORY_AFTER 6
#define HISTORY_REACH 500000 /* reading stops this many events, on any lines, after the example */
#define HISTORY_FINDINGS 400

/* Reads the recording in `dir` again and fills `events` of the findings. */
int history_collect(struct findings *findings, const char *dir, struct symbols *symbols,
		    const struct findings_options *options, struct err *err);

#endif
