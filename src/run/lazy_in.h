/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lazy_in.h - the worker's side of a run on undecided lines (lazy.h). */
#ifndef BLACKOUT_RUN_LAZY_IN_H
#define BLACKOUT_RUN_LAZY_IN_H

#include "run/worker.h"

struct lazy_run;

/* Write the file for the next request.  False: no space on disk. */
bool lazy_request(struct lazy_run *run, struct worker *worker);

/* Read the rest of a STUB_LEAF and report the leaf to the caller.  False: nothing more can come. */
bool lazy_report_take(struct lazy_run *run, struct worker *worker, const struct stub_reply *reply);

/* Free the disk space of output that will never be shown, because recovery may print without end.  Call it often. */
void lazy_trim(const struct worker *worker);

/* A request is done, or broken.  True: so is the run, and its end was reported.  False: there is another request to
 * send. */
bool lazy_run_ended(struct lazy_run *run, const char *broken);

void lazy_run_free(struct lazy_run *run);

#endif
