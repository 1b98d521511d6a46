/* SPDX-License-Identifier: GPL-2.0-or-later */
/* profiling.h - make a profile (run/profile.h) of a recording of recovery.
 *
 *     struct profiling p = {.view = &view, .profile = profile_new(view.files, view.count)};
 *     recovery_trace(&how, &(struct recovery_consumer){PROFILING_CONSUMER(&p)}, &err);
 *     profiling_free(&p);
 *     profile_end(p.profile, view.files);                     // when the stage has the state again
 *
 * The recording needs the layers PROFILING_LAYERS.  The profile is closed where recovery does what a copy of its process
 * cannot share, or what the recording does not show: threads, other processes, other PM files, changes of PM files by
 * system calls. */
#ifndef BLACKOUT_CRASH_PROFILING_H
#define BLACKOUT_CRASH_PROFILING_H

#include "base/vec.h"
#include "crash/recovery_trace.h"
#include "crash/stage_view.h"

#define PROFILING_LAYERS ((uint32_t)BO_LAYER_LOADS | BO_LAYER_READS)

struct profiling {
	const struct stage_view *view;
	struct profile *profile;
	uint32_t process;        /* that accesses PM files, plus one; 0: none so far */
	bool exited;             /* it has ended by itself */
	VEC_OF(uint32_t) files;  /* by file of the recording: 1 + its number */
	VEC_OF(uint8_t) modules; /* by module: enum module_kind */
};

#define PROFILING_CONSUMER(profiling) .event = profiling_event, .arg = (profiling)
void profiling_event(void *profiling, const struct trace *trace, const struct event *ev);
void profiling_free(struct profiling *profiling);

#endif
