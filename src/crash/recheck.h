/* SPDX-License-Identifier: GPL-2.0-or-later */
/* recheck.h - rule 4 of checkpoints.h: what passed from a checkpoint is run again, from the start.
 *
 *     if (recheck(campaign, platform, trials, &err) < 0) ...   // before the trials are judged */
#ifndef BLACKOUT_CRASH_RECHECK_H
#define BLACKOUT_CRASH_RECHECK_H

#include "crash/campaign_in.h"

/* Trials that cannot be run again, because there is no time, count as untested.  0 or -1. */
int recheck(struct campaign *campaign, size_t platform, const struct trials *trials, struct err *err);

#endif
