/* SPDX-License-Identifier: GPL-2.0-or-later */
/* processor.h - which processor we run on. */
#ifndef BLACKOUT_RUN_PROCESSOR_H
#define BLACKOUT_RUN_PROCESSOR_H

/* Run on this processor alone, because whom we wait for does; -1: on any that we may use.  Costs nothing if it is so
 * already.  Processes that are forked meanwhile may use them all. */
void processor_follow(int processor);

#endif
