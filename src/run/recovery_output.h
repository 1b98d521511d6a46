/* SPDX-License-Identifier: GPL-2.0-or-later */
/* recovery_output.h - the output of a recovery.  All of it is read, so that recovery is never blocked; the end of it is
 * kept, and if it is wanted, a summary of all of it (ops/output.h). */
#ifndef BLACKOUT_RUN_RECOVERY_OUTPUT_H
#define BLACKOUT_RUN_RECOVERY_OUTPUT_H

#include <stdint.h>

#include "ops/output.h"
#include "run/outcome.h"

struct recovery_output {
	int read, write; /* the ends of a pipe; reads do not block */
	uint64_t total;
	char at[OUTCOME_TAIL];  /* a ring buffer */
	struct output *summary; /* NULL: not wanted */
	bool endless;           /* the summary has reached its bound */
};

/* -1: no pipe, errno says why. */
int recovery_output_open(struct recovery_output *output);
void recovery_output_close(struct recovery_output *output);

/* Read what is there.  `all`: read to the last byte; otherwise stop early, to be fair to the other workers. */
void recovery_output_pump(struct recovery_output *output, bool all);

/* recovery_output_clear forgets the output; what comes is fed to this summary, which may be NULL.  recovery_output_copy goes
 * back to an earlier state. */
void recovery_output_clear(struct recovery_output *output, struct output *summary);
void recovery_output_copy(struct recovery_output *output, const struct recovery_output *from);

/* The end of the output; the caller frees tail.text. */
struct tail recovery_output_tail(const struct recovery_output *output);

/* Give away the summary, which is complete now. */
struct output *recovery_output_take(struct recovery_output *output);

#endif
