/* SPDX-License-Identifier: GPL-2.0-or-later */
/* analysis.h - one pass over a recording: all detectors on all platforms, and the counts.
 *
 *     struct analysis *a = analysis_new(&choice);
 *     analysis_follow(a, dir);                     // in its own thread, behind the recorder
 *     ... the target runs; its recording is sealed, not yet compressed ...
 *     r = analysis_finish(a, dir, &err);           // reads the rest
 *     ... analysis_sinks, analysis_trace, analysis_totals
 *     analysis_free(a);
 *
 * Without analysis_follow, analysis_finish reads the whole recording. */
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

/* The values of --detect and --platform. */
struct choice {
	const struct detector *detectors[DETECTORS_MAX];
	const struct platform *platforms[PLATFORMS_MAX];
	size_t detector_count, platform_count;
	bool places;          /* also count events by place: analysis_stats */
	bool inject, explore; /* crash states will be tested: analysis_survey */
	enum points_at at;
};

/* Parse the two comma-separated lists; -1, ERR_USAGE. */
int choice_parse(struct choice *choice, const char *detect, const char *platform, struct err *err);

struct analysis;

struct analysis *analysis_new(const struct choice *choice);
void analysis_free(struct analysis *analysis);

/* Start to read the recording that one process is writing to `dir`. */
void analysis_follow(struct analysis *analysis, const char *dir);

/* The number of events read so far.  Another thread may call this while the recording is followed. */
uint64_t analysis_events_so_far(struct analysis *analysis);

/* Read to the end. -1: the recording is damaged, and findings up to there must not be trusted. 0 also if the user
 * interrupted; then analysis_complete is false. */
int analysis_finish(struct analysis *analysis, const char *dir, bool progress, struct err *err);
bool analysis_complete(const struct analysis *analysis);

/* These are valid after analysis_finish, until analysis_free: */
struct sink *const *analysis_sinks(const struct analysis *analysis, size_t *count);
struct trace *analysis_trace(const struct analysis *analysis);
void analysis_totals(const struct analysis *analysis, struct stats_summary *totals); /* without byte counts */
uint64_t analysis_count(const struct analysis *analysis, enum event_type type);
const struct activity *analysis_activity(const struct analysis *analysis);
bool analysis_started_others(const struct analysis *analysis); /* the target forked, or executed another program */
const struct survey *analysis_survey(const struct analysis *analysis); /* NULL unless inject or explore was chosen */
const struct stats *analysis_stats(const struct analysis *analysis);   /* NULL unless choice.places is set */
double analysis_seconds(const struct analysis *analysis); /* time spent on events, without waiting for the recorder */

#endif
