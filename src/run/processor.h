/* SPDX-License-Identifier: GPL-2.0-or-later */
/* processor.h - choose the processor that this process runs on. */
#ifndef BLACKOUT_RUN_PROCESSOR_H
#define BLACKOUT_RUN_PROCESSOR_H

/* Run only on this processor, because the process that we wait for runs there; -1: run on any processor that we may
 * use.  Costs nothing if nothing changes.  Children that are forked meanwhile may use all processors. */
void processor_follow(int processor);

#endif
