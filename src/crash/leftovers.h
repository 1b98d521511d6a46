/* SPDX-License-Identifier: GPL-2.0-or-later */
/* leftovers.h - does recovery need the stores that the program never wrote back?  See leftovers.c. */
#ifndef BLACKOUT_CRASH_LEFTOVERS_H
#define BLACKOUT_CRASH_LEFTOVERS_H

#include "crash/trials.h"
#include "finding/finding.h"

struct campaign;

/* Of one context. */
struct leftover {
	struct leftover_proof proof; /* its fate is known at the end */
	struct digest digest;        /* of the state without them */
	const bool *persisted;       /* that state, by model_pending; NULL: there is none */
	bool read, overwritten;      /* recovery does so with some of their bytes, before anything else */
	struct trial trial;          /* the state, if recovery fails on it */
};

/* Run recovery without each of them, and watch it; explain what fails.  0 also when stopped. */
int leftovers_run(struct campaign *campaign, struct err *err);

#endif
