/* SPDX-License-Identifier: GPL-2.0-or-later */
/* collect.h - everything that an analysis has found out, as findings, figures and notes.
 *
 *     const struct collection from = {.scan = scan, .campaign = campaign, ...};
 *     struct findings *findings = findings_make(&from, &err);            // not yet silenced, without numbers */
#ifndef BLACKOUT_ANALYSIS_COLLECT_H
#define BLACKOUT_ANALYSIS_COLLECT_H

#include "analysis/counting.h"
#include "analysis/operation_judging.h"
#include "analysis/scan.h"
#include "campaign/campaign.h"
#include "finding/finding.h"
#include "plugin/runs.h"

/* Where findings come from. */
struct collection {
	const struct scan *scan;
	const struct plugin_runs *plugins;
	const char *dir; /* the recording */
	const struct choice *choice;
	const struct counting *counting;
	struct campaign *campaign; /* NULL: no crash state was tested */
	const struct operation_judging *judging;
	struct findings_options places; /* own, fold and no_fold */
	struct symbols *symbols;        /* NULL: nothing is known of functions and lines yet */
	const char *recover;            /* the recovery command; NULL: none */
	/* What should be tested, for strategies that have something to tell without a test. */
	const struct campaign_options *testing;
	struct stop stop;
	const char *untested; /* why crash states were not tested though they should have been; NULL: no problem */
	const char *warning;  /* why a result without findings is not a success; NULL: it is one */
};

/* NULL: the recording could not be read again. */
struct findings *findings_make(const struct collection *from, struct err *err);

#endif
