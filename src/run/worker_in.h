/* SPDX-License-Identifier: GPL-2.0-or-later */
/* worker_in.h - what the files of worker.h share.  A run begins in worker_start.c; worker_pump.c attends to it. */
#ifndef BLACKOUT_RUN_WORKER_IN_H
#define BLACKOUT_RUN_WORKER_IN_H

#include "run/worker.h"

#define SECOND_NS ((uint64_t)1000000000)
#define LOOK_NS (SECOND_NS / 20) /* between measurements of what recovery writes */

/* worker.c */

/* Kill the fork server, with all that it runs. */
void worker_stop_server(struct worker *worker);
/* In place: put the user's files back. */
void worker_clear_place(struct worker *worker);

/* worker_start.c */

/* The server or keeper is there: send it the request for the run. */
void worker_begin_run(struct worker *worker);
/* The run cannot be a walk, or begin at a checkpoint: begin at the start. */
void worker_begin_again(struct worker *worker);
/* The mode cannot do the run, for this reason. */
void worker_refuse(struct worker *worker, const char *reason);
/* Send STUB_RUN, or another request, to the fork server, to the checkpoint at which the run began, or to the keeper. */
int worker_send(struct worker *worker, uint32_t op);
/* The checkpoint at which the run began; NULL: at the start. */
struct checkpoint_server *worker_checkpoint(struct worker *worker);
/* The time for the run, or for its next leaf, begins now. */
void worker_set_deadline(struct worker *worker);
/* Does the limit of what a run may write into the scene concern this one? */
bool worker_limits_usage(const struct worker *worker);
/* Read what the run has printed so far.  `all`: to the last byte. */
void worker_pump_outputs(struct worker *worker, bool all);

#endif
