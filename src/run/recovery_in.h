/* SPDX-License-Identifier: GPL-2.0-or-later */
/* recovery_in.h - declarations that the files of recovery.h share. */
#ifndef BLACKOUT_RUN_RECOVERY_IN_H
#define BLACKOUT_RUN_RECOVERY_IN_H

#include "run/openings.h"
#include "run/recovery.h"
#include "run/worker.h"

struct recovery_slot {
	struct worker worker;
	const char *stage; /* directory of its stage; NULL until it is known */
	uint64_t setting;  /* the id */
	void *ticket;
	double limit;  /* seconds for the run */
	bool waiting;  /* for its turn in the user's directories */
	bool watching; /* whether the run opens a PM file */
	struct openings openings;
};

struct recovery {
	struct recovery_options options;
	struct worker_options common;
	char cwd[PATH_MAX];
	struct words environment;
	struct recovery_slot *slots;
	unsigned jobs;
	enum recovery_mode mode; /* the mode to try first */
	bool settled;            /* the first run is over */
	/* the first run failed under the fork server; now it runs in the next mode, to compare */
	bool doubting;
	struct ending doubted; /* how recovery ended under the fork server */
	char reason[STUB_REASON + 128];
	bool opened;            /* a run has opened a PM file, or that cannot be determined */
	uint64_t unopened;      /* runs that could have opened one but did not */
	uint64_t seen_ns;       /* when we last checked on the workers */
	struct outcome *wanted; /* recovery_run waits for this outcome */
	bool wanted_is_there;
};

/* Make the worker's command in its setting, in its place, before it is used. */
int recovery_prepare(struct recovery *recovery, unsigned worker, struct err *err);

/* Parse a line of gdb's `bt`; false if it is not a frame. */
bool recovery_frame_parse(struct recovery_frame *frame, const char *line);

/* Keep in `frames` only what the two stacks have in common, innermost first; returns the number of frames.  If the
 * innermost common frame is at different lines, the smaller line is kept: usually the top of a loop. */
size_t recovery_frames_common(struct recovery_frame *frames, size_t count, const struct recovery_frame *others,
			      size_t other_count);

#endif
