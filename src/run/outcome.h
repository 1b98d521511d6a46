/* SPDX-License-Identifier: GPL-2.0-or-later */
/* outcome.h - how one run of recovery ended.  This is data about the program, never an error of ours. */
#ifndef BLACKOUT_RUN_OUTCOME_H
#define BLACKOUT_RUN_OUTCOME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/ending.h"

enum { OUTCOME_TAIL = 4096 /* bytes of each output that are kept, from its end */ };

/* How recovery is shown the crash state; see recovery.h.  X(NAME, text, word on the command line).
 * RECOVERY_MODE_TABLE(RECOVERY_MODE_BAR) is "|auto|fork-server|...". */
#define RECOVERY_MODE_TABLE(X)                 \
	X(AUTO, "auto", "auto")                \
	X(FORK, "fork server", "fork-server")  \
	X(NAMESPACE, "namespace", "namespace") \
	X(REDIRECT, "redirect", "redirect")    \
	X(IN_PLACE, "in place", "in-place")
#define RECOVERY_MODE_BAR(name, text, word) "|" word

enum recovery_mode {
#define X(name, text, word) RECOVERY_##name,
	RECOVERY_MODE_TABLE(X)
#undef X
		RECOVERY_MODES
};

/* The end of the output: `size` arbitrary bytes, followed by a zero byte.  NULL: nothing was printed. */
struct tail {
	char *text;
	size_t size;
	bool cut; /* there was more before it */
};

struct output;

struct outcome {
	struct ending ending;
	double seconds;  /* run time */
	uint64_t memory; /* bytes that it has had at most; 0: not known */
	struct tail out, err;
	/* All that it printed, or wrote to {out}, summarized (ops/output.h); NULL: nobody asked for it.  If it is
	 * endless, recovery was ended for that reason, and `ending` is an exit with status 0. */
	struct output *output;
	enum recovery_mode mode; /* that it ran in */
	unsigned from;           /* the checkpoint at which it began (checkpoint.h); 0: the start */
	bool again;              /* in a process that had run other states from there */
	bool unconfirmed;        /* there was no run from the start to compare it with (crash/checkpoints.h) */
	bool by_client;          /* the client failed, not the server */
	bool touched;            /* it could write to the files of the stage: call stage_distrust */
};

/* *copy owns its texts and its output; free it with outcome_free. */
void outcome_copy(struct outcome *copy, const struct outcome *outcome);
void outcome_free(struct outcome *outcome);

/* Did recovery do the same, as far as it can be seen from outside?  Its time does not matter. */
bool outcome_same(const struct outcome *a, const struct outcome *b);

#endif
