/* SPDX-License-Identifier: GPL-2.0-or-later */
/* nested.h - a second crash, during recovery from the first; see nested.c.
 *
 *     campaign->nested = nested_new();
 *     nested_run(campaign, &err);                             // with options.nested, after all other tests
 *     campaign->nested->states ...                             // figures for the report
 *     nested_report(campaign, findings, symbols, &options);   // the findings; removes the recordings
 *     nested_free(campaign->nested); */
#ifndef BLACKOUT_CAMPAIGN_NESTED_H
#define BLACKOUT_CAMPAIGN_NESTED_H

#include "base/vec.h"
#include "finding/finding.h"

struct campaign;
struct campaign_options;
struct crash_context;
struct survey;

/* A campaign in the recording of a recovery. */
struct nested_campaign {
	const char *dir; /* the recording, until nested_report */
	struct survey *survey;
	struct campaign *campaign;
};

struct nested {
	const char *dir; /* of the recordings; NULL: not made, or removed */
	VEC_OF(struct nested_campaign) campaigns;
	uint64_t states;  /* whose recovery could be crashed */
	uint64_t crashed; /* whose recovery was crashed */
	uint64_t partly;  /* of these, the ones where some second crashes were left out */
	/* States whose recovery was not crashed */
	uint64_t unreadable; /* because its recording is damaged */
	uint64_t failing;    /* because it fails on its own result */
};

struct nested *nested_new(void);

/* Crash the recovery of states that pass; 0 also when stopped. */
int nested_run(struct campaign *campaign, struct err *err);

/* Add the findings of all nested campaigns. */
void nested_report(struct campaign *campaign, struct findings *findings, struct symbols *symbols,
		   const struct findings_options *options);

void nested_free(struct nested *nested);

/* campaign.c: a campaign in a recording of recovery from the crash `first`, which shares the oracles and outcomes of
 * the outer campaign.  Both must live as long as it. */
int campaign_run_within(struct campaign **campaign, const struct campaign_options *options, const struct survey *survey,
			const struct campaign *outer, const struct crash_context *first, struct err *err);

#endif
