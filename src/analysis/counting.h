/* SPDX-License-Identifier: GPL-2.0-or-later */
/* counting.h - count the crash states of a recording, and report the counts.
 *
 *     struct counting counting = {0};
 *     r = counting_run(&counting, &choice, &testing, stats, scan, &err);
 *     counting_report(&counting, findings, trace, symbols, &places);
 *     counting_free(&counting); */
#ifndef BLACKOUT_ANALYSIS_COUNTING_H
#define BLACKOUT_ANALYSIS_COUNTING_H

#include "analysis/scan.h"
#include "count/count.h"
#include "crash/options.h"
#include "finding/finding.h"

struct counting {
	bool stats;                       /* list the segments with the most crash states */
	bool prune_segments, prune_reads; /* what explore may leave out */
	struct count *count;              /* NULL: nothing was counted */
	struct count *whole;              /* the same without leaving out segments, for the funnel; NULL: not needed */
	double seconds;
};

/* Count the crash states that explore would test with these options, if explore was chosen.  -1: the recording is
 * damaged. */
int counting_run(struct counting *counting, const struct choice *choice, const struct campaign_options *testing,
		 bool stats, const struct scan *scan, struct err *err);

/* The number of segments that explore will test; 0: not counted. */
uint64_t counting_chosen(const struct counting *counting);

/* Add figures, notes and, with `stats`, segments to the findings. */
void counting_report(const struct counting *counting, struct findings *findings, const struct trace *trace,
		     struct symbols *symbols, const struct findings_options *options);

void counting_free(struct counting *counting);

#endif
