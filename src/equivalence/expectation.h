/* SPDX-License-Identifier: GPL-2.0-or-later */
/* expectation.h - what recovery prints on orderly contents (orderly.h), in a setting.
 *
 *     struct expectations *all = expectations_new(orderly);
 *     struct expectation *e;
 *     expectations_ask(all, tester, event, setting, 2, &e, &err);
 *     tester_drain(tester, &err);
 *     if (!e->failed)
 *             ... e->output, e->again ...
 *     expectations_free(all);
 */
#ifndef BLACKOUT_EQUIVALENCE_EXPECTATION_H
#define BLACKOUT_EQUIVALENCE_EXPECTATION_H

#include "crash/tester.h"
#include "equivalence/orderly.h"
#include "ops/compare.h"

struct expectation {
	struct digest content;
	uint64_t setting;
	unsigned runs;         /* that have ended */
	bool failed;           /* recovery does not end well on this content */
	struct ending ending;  /* how it fails */
	struct output *output; /* of the first run; NULL: it has not ended, or failed */
	struct output *again;  /* of the second; NULL: it is the same, or was not run */
};

struct expectations;

/* `orderly` must live as long as the result. */
struct expectations *expectations_new(struct orderly *orderly);
void expectations_free(struct expectations *expectations);

/* The expectation for the content after an event.  `runs` runs, 1 or 2, are started unless they were before.  0,
 * TESTER_STOPPED or -1.  *expectation is valid until expectations_free. */
int expectations_ask(struct expectations *expectations, struct tester *tester, uint64_t event, uint64_t setting,
		     unsigned runs, struct expectation **expectation, struct err *err);

#endif
