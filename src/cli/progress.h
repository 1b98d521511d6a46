/* SPDX-License-Identifier: GPL-2.0-or-later */
/* progress.h - show on standard error how far an analysis is: a line that changes, or one line now and then if standard
 * error is not a terminal.
 *
 *     struct progress progress = progress_start();
 *     options.reading = progress_reading;
 *     options.progress = progress_testing;
 *     options.arg = &progress;
 *     ... analysis_read, analysis_judge ...
 *     progress_clear(&progress);                   // before anything else is printed */
#ifndef BLACKOUT_CLI_PROGRESS_H
#define BLACKOUT_CLI_PROGRESS_H

#include "cluster/cluster.h"
#include "crash/options.h"
#include "search/input_search.h"

struct progress {
	bool terminal;
	bool visible; /* a line is on the terminal */
	double shown; /* time of the last update */
};

struct progress progress_start(void);
void progress_clear(struct progress *progress);

/* Callbacks; `progress` is a struct progress. */
void progress_reading(void *progress, uint64_t events);
void progress_testing(void *progress, const struct campaign_progress *testing);
void progress_sharded(void *progress, const struct cluster_progress *sharded);
void progress_searching(void *progress, const struct input_search_progress *searching);

#endif
