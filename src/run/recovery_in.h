/* SPDX-License-Identifier: GPL-2.0-or-later */
/* recovery_in.h - what the files of recovery.h share. */
#ifndef BLACKOUT_RUN_RECOVERY_IN_H
#define BLACKOUT_RUN_RECOVERY_IN_H

#include "run/openings.h"
#include "run/recovery.h"
#include "run/worker.h"

struct recovery_slot {
	struct worker worker;
	const char *root; /* of its stage; NULL until it is known */
	void *ticket;
	unsigned patience;
	bool waiting;  /* for its turn in the user's directories */
	bool watching; /* whether it opens a PM file */
	struct openings openings;
};

struct recovery {
	struct recovery_options options;
	struct worker_options common;
	char cwd[PATH_MAX];
	struct words argv, environment;
	struct recovery_slot *slots;
	unsigned jobs;
	enum recovery_mode mode; /* to start with */
	bool settled;            /* the first run is over */
	bool doubting;           /* the first run failed by the fork server: does it elsewhere, too? */
	struct outcome doubted;  /* kind and value of that */
	char reason[STUB_REASON + 128];
	bool opened;            /* a run has opened a PM file, or that cannot be told */
	uint64_t unopened;      /* runs that could have, but did not */
	uint64_t seen_ns;       /* when we last looked after the workers */
	struct outcome *wanted; /* recovery_run waits for this one */
	bool wanted_is_there;
};

/* A line of gdb's `bt`; false if it is none. */
bool recovery_frame_parse(struct recovery_frame *frame, const char *line);

/* What two stacks have in common, innermost first, is left in `frames`; returns its number of frames.  Where its
 * innermost frame differs by its place, the smaller one is left: the top of a loop, mostly. */
size_t recovery_frames_common(struct recovery_frame *frames, size_t count, const struct recovery_frame *others,
			      size_t other_count);

#endif
