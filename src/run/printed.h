/* SPDX-License-Identifier: GPL-2.0-or-later */
/* printed.h - what a recovery prints: everything is read, so that it is never held up, and the end of it is kept. */
#ifndef BLACKOUT_RUN_PRINTED_H
#define BLACKOUT_RUN_PRINTED_H

#include <stdint.h>

#include "run/outcome.h"

struct printed {
	int read, write; /* the ends of a pipe; reading does not wait */
	uint64_t total;
	char at[OUTCOME_TAIL]; /* a ring */
};

/* -1: no pipe, errno says why. */
int printed_open(struct printed *printed);
void printed_close(struct printed *printed);

/* Take in what is there by now.  `all`: to the last byte; otherwise as much as is fair to others. */
void printed_pump(struct printed *printed, bool all);

/* Forget it; or go back to an earlier moment. */
void printed_clear(struct printed *printed);
void printed_copy(struct printed *printed, const struct printed *from);

/* The end of it; tail.text is the caller's to free. */
struct tail printed_tail(const struct printed *printed);

#endif
