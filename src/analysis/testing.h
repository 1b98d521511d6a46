/* SPDX-License-Identifier: GPL-2.0-or-later */
/* testing.h - test the crash states of a recording, with what the scan has found so far.
 *
 *     struct testing testing = {0};
 *     r = testing_run(&testing, &choice, &options, scan, &err);       // the caller then reports testing.campaign
 *     testing_free(&testing); */
#ifndef BLACKOUT_ANALYSIS_TESTING_H
#define BLACKOUT_ANALYSIS_TESTING_H

#include "analysis/scan.h"
#include "base/vec.h"
#include "campaign/campaign.h"

struct testing {
	struct campaign *campaign; /* NULL: not run, or failed */
	char *printed;             /* if that failed: the end of recovery's output, or ""; else NULL */
	VEC_OF(uint64_t) suspects; /* see struct campaign_options */
	VEC_OF(uint32_t) callers;
	VEC_OF(uint32_t) leftovers;
};

/* Sets the options that depend on the choice and the scan, and runs a campaign. -1: see campaign_run. */
int testing_run(struct testing *testing, const struct choice *choice, const struct campaign_options *options,
		const struct scan *scan, struct err *err);

/* True if recovery passed on every state but never opened a PM file; *err then says so. */
bool testing_judged_nothing(const struct testing *testing, const struct trace *trace, struct err *err);

void testing_free(struct testing *testing);

#endif
