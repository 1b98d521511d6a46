/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lazy_in.h - what a worker does with a run of undecided lines (lazy.h). */
#ifndef BLACKOUT_RUN_LAZY_IN_H
#define BLACKOUT_RUN_LAZY_IN_H

#include "run/worker.h"

struct lazy_run;

/* Write the file for the next request.  False: no space. */
bool lazy_request(struct lazy_run *run, struct worker *worker);

/* Read the rest of STUB_LEAF and tell of it.  False: nothing more can come. */
bool lazy_report_take(struct lazy_run *run, struct worker *worker, const struct stub_reply *reply);

/* Recovery may print without end: give back the space of what nobody will see.  Often. */
void lazy_trim(const struct worker *worker);

/* A request is done with, or broken.  True: so is the run, and this was told; false: there is another request. */
bool lazy_run_ended(struct lazy_run *run, const char *broken);

void lazy_run_free(struct lazy_run *run);

#endif
