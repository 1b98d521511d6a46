/* SPDX-License-Identifier: GPL-2.0-or-later */
/* analysis.h - one pass over a recording: every detector on every platform, and the counts.
 *
 *     struct analysis *a = analysis_new(&choice);
 *     analysis_follow(a, dir);                     // in a thread of its own, behind the recorder
 *     ... the target runs; its recording is sealed, not yet compressed ...
 *     r = analysis_finish(a, dir, &err);           // reads the rest
 *     ... analysis_sinks, analysis_trace, analysis_totals
 *     analysis_free(a);
 *
 * Without analysis_follow, analysis_finish reads the whole recording by itself. */
#ifndef BLACKOUT_CLI_ANALYSIS_H
#define BLACKOUT_CLI_ANALYSIS_H

#include <stdbool.h>
#include <stddef.h>

#include "crash/survey.h"
#include "detect/activity.h"
#include "detect/detector.h"
#include "model/model.h"
#include "trace/stats.h"

enum { DETECTORS_MAX = 8, PLATFORMS_MAX = 8 };

/* What --detect and --platform ask for. */
struct choice {
	const struct detector *detectors[DETECTORS_MAX];
	const struct platform *platforms[PLATFORMS_MAX];
	size_t detector_count, platform_count;
	bool places;          /* count events by place, too: analysis_stats */
	bool inject, explore; /* crash states are wanted: analysis_survey */
	enum points_at at;
};

/* Read the two comma lists; -1, ERR_USAGE. */
int choice_parse(struct choice *choice, const char *detect, const char *platform, struct err *err);

struct analysis;

struct analysis *analysis_new(const struct choice *choice);
void analysis_free(struct analysis *analysis);

/* Start to read the recording that is being written to `dir`, by one process. */
void analysis_follow(struct analysis *analysis, const char *dir);

/* How many events were read so far.  Another thread may ask while the recording is followed. */
uint64_t analysis_events_so_far(struct analysis *analysis);

/* Read to the end.  -1 on damage, and what was found up to there is not to be trusted; 0 also when the user
 * interrupted: then analysis_complete is false. */
int analysis_finish(struct analysis *analysis, const char *dir, bool progress, struct err *err);
bool analysis_complete(const struct analysis *analysis);

/* After analysis_finish, until analysis_free: */
struct sink *const *analysis_sinks(const struct analysis *analysis, size_t *count);
struct trace *analysis_trace(const struct analysis *analysis);
void analysis_totals(const struct analysis *analysis, struct stats_summary *totals); /* without the counts of bytes */
uint64_t analysis_count(const struct analysis *analysis, enum event_type type);
const struct activity *analysis_activity(const struct analysis *analysis);
bool analysis_started_others(const struct analysis *analysis); /* the target forked, or executed another program */
const struct survey *analysis_survey(const struct analysis *analysis); /* NULL unless inject or explore was chosen */
const struct stats *analysis_stats(const struct analysis *analysis);   /* NULL unless it was asked for */
double analysis_seconds(const struct analysis *analysis); /* spent on events; waiting for the recorder does not count */

#endif
