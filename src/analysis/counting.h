/* SPDX-License-Identifier: GPL-2.0-or-later */
/* counting.h - what `explore` may leave out, and how many crash states there are: from the options of `run` and `check`
 * to the report.
 *
 *     static struct counting_options given;
 *     static const struct option options[] = {COUNTING_OPTIONS(&given), {0}};
 *     ...
 *     struct counting counting;
 *     if (counting_prepare(&counting, &given, &err) < 0) ...                 // before anything is run
 *     r = counting_run(&counting, &choice, scan, dir, &err);
 *     counting_report(&counting, findings, trace, symbols, &how);
 *     counting_free(&counting); */
#ifndef BLACKOUT_ANALYSIS_COUNTING_H
#define BLACKOUT_ANALYSIS_COUNTING_H

#include "analysis/scan.h"
#include "cli/option.h"
#include "count/count.h"
#include "finding/finding.h"

struct counting_options {
	const char *prune;
	uint64_t representatives, per_segment;
	bool stats;
};

/* clang-format off */
#define COUNTING_OPTIONS(o) \
	OPTION_GROUP("Crash states of --detect explore"), \
	{"prune", "none|segments|reads,...", "segments,reads", "what explore may leave out", OPTION_TEXT | OPTION_KEPT, &(o)->prune}, \
	{"representatives", "N", "1", "how many segments of the same code to explore", OPTION_NUMBER | OPTION_KEPT, &(o)->representatives}, \
	{"per-segment", "N", "65536", "how many crash states of a segment to test; if there are more, a random sample is tested", OPTION_NUMBER | OPTION_KEPT, &(o)->per_segment}, \
	{"stats", NULL, NULL, "list the segments with the most crash states", OPTION_FLAG, &(o)->stats}
/* clang-format on */

struct counting {
	const struct counting_options *options;
	bool segments, reads; /* --prune */
	struct count *count;  /* NULL: nothing was counted */
	struct count *whole;  /* the same without --prune segments, for the funnel; NULL: not needed */
	double seconds;
};

/* Parse the options; -1, ERR_USAGE. */
int counting_prepare(struct counting *counting, const struct counting_options *options, struct err *err);

/* Count the crash states of the recording in `dir`, if explore was chosen. -1: the recording is damaged. */
int counting_run(struct counting *counting, const struct choice *choice, const struct scan *scan, const char *dir,
		 struct err *err);

/* The number of segments that explore will test; 0: not counted. */
uint64_t counting_chosen(const struct counting *counting);

/* Add figures, notes and, with --stats, segments to the findings. */
void counting_report(const struct counting *counting, struct findings *findings, const struct trace *trace,
		     struct symbols *symbols, const struct findings_options *options);

void counting_free(struct counting *counting);

#endif
