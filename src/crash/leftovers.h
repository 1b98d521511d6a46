/* SPDX-License-Identifier: GPL-2.0-or-later */
/* leftovers.h - does recovery need the stores that the program never wrote back?  See leftovers.c. */
#ifndef BLACKOUT_CRASH_LEFTOVERS_H
#define BLACKOUT_CRASH_LEFTOVERS_H

#include "crash/trials.h"
#include "finding/finding.h"

struct campaign;

/* The leftover stores of one context. */
struct leftover {
	struct leftover_proof proof; /* the fate is filled in at the end */
	struct digest digest;        /* of the state without these stores */
	const bool *persisted;       /* that state, flags by model_pending; NULL: none */
	bool read, overwritten;      /* recovery's first access to some of their bytes is a read, or a write */
	struct trial trial;          /* that state, if recovery fails on it */
};

/* For each leftover, run recovery without its stores and watch it.  Explain the failures.  0 also when stopped. */
int leftovers_run(struct campaign *campaign, struct err *err);

#endif
