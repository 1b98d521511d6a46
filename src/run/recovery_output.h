/* SPDX-License-Identifier: GPL-2.0-or-later */
/* recovery_output.h - the output of a recovery.  All of it is read, so that recovery is never blocked; the end of it is
 * kept. */
#ifndef BLACKOUT_RUN_RECOVERY_OUTPUT_H
#define BLACKOUT_RUN_RECOVERY_OUTPUT_H

#include <stdint.h>

#include "run/outcome.h"

struct printed {
	int read, write; /* the ends of a pipe; reads do not block */
	uint64_t total;
	char at[OUTCOME_TAIL]; /* a ring buffer */
};

/* -1: no pipe, errno says why. */
int printed_open(struct printed *printed);
void printed_close(struct printed *printed);

/* Read what is there.  `all`: read to the last byte; otherwise stop early, to be fair to the other workers. */
void printed_pump(struct printed *printed, bool all);

/* printed_clear forgets the output; printed_copy goes back to an earlier state. */
void printed_clear(struct printed *printed);
void printed_copy(struct printed *printed, const struct printed *from);

/* The end of the output; the caller frees tail.text. */
struct tail printed_tail(const struct printed *printed);

#endif
