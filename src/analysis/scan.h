/* SPDX-License-Identifier: GPL-2.0-or-later */
/* scan.h - one pass over a recording: all detectors on all platforms, and the counts.
 *
 *     struct scan *s = scan_new(&choice, &options);
 *     scan_follow(s, dir);                     // in its own thread, behind the recorder
 *     ... the target runs; its recording is sealed, not yet compressed ...
 *     r = scan_finish(s, dir, &err);           // reads the rest
 *     ... scan_sinks, scan_trace, scan_totals
 *     scan_free(s);
 *
 * Without scan_follow, scan_finish reads the whole recording. */
#ifndef BLACKOUT_ANALYSIS_SCAN_H
#define BLACKOUT_ANALYSIS_SCAN_H

#include <stdbool.h>
#include <stddef.h>

#include "analysis/choice.h"
#include "base/stop.h"
#include "crash/survey.h"
#include "detect/activity.h"
#include "trace/operations.h"
#include "trace/stats.h"

struct scan_options {
	struct stop stop; /* ends the reading */
	/* Called often; may be NULL.  While the recording is followed, it is not called before scan_finish; then it may
	 * be called on the thread that follows. */
	void (*progress)(void *arg, uint64_t events);
	void *arg;
};

struct scan;

struct scan *scan_new(const struct choice *choice, const struct scan_options *options);
void scan_free(struct scan *scan);

/* Start to read the recording that one process is writing to `dir`. */
void scan_follow(struct scan *scan, const char *dir);

/* The number of events read so far.  Another thread may call this while the recording is followed. */
uint64_t scan_events_so_far(struct scan *scan);

/* Read to the end. -1: the recording is damaged, and findings up to there must not be trusted. 0 also if it was
 * stopped; then scan_complete is false. */
int scan_finish(struct scan *scan, const char *dir, struct err *err);
bool scan_complete(const struct scan *scan);

/* These are valid after scan_finish, until scan_free: */
struct sink *const *scan_sinks(const struct scan *scan, size_t *count);
struct trace *scan_trace(const struct scan *scan);
void scan_totals(const struct scan *scan, struct stats_summary *totals); /* without byte counts */
uint64_t scan_count(const struct scan *scan, enum event_type type);
const struct activity *scan_activity(const struct scan *scan);
bool scan_started_others(const struct scan *scan);                  /* the target forked, or executed another program */
const struct survey *scan_survey(const struct scan *scan);          /* NULL unless inject or explore was chosen */
const struct stats *scan_stats(const struct scan *scan);            /* NULL unless choice.places is set */
struct operations_summary scan_operations(const struct scan *scan); /* zeroes if operations were not recorded */
double scan_seconds(const struct scan *scan); /* time spent on events, without waiting for the recorder */

#endif
