/* SPDX-License-Identifier: GPL-2.0-or-later */
/* analyze.h - what `run` and `check` share: an analysis (analysis/analysis.h) with its options, progress, messages and
 * exit status.
 *
 *     struct analyze analyze = {.words = &given, .report = &reporting, .options = options};
 *     if (analyze_prepare(&analyze, &err) < 0) ...              // finds all mistakes before anything is run
 *     analyze.dir = analyze.dir_shown = dir; ...
 *     if (analyze_read(&analyze, &err) < 0) ...
 *     status = analyze_finish(&analyze, record);
 *     analyze_close(&analyze); */
#ifndef BLACKOUT_CLI_ANALYZE_H
#define BLACKOUT_CLI_ANALYZE_H

#include "cli/analysis_options.h"
#include "cli/progress.h"
#include "cli/record_target.h"
#include "cli/report_options.h"
#include "cli/saved_options.h"

/* The options of commands that run a program and judge what they have recorded.  The arguments are pointers to struct
 * record_options, analysis_words, operation_words and report_words. */
#define RUN_OPTIONS(recording, judging, operating, reporting)                                                     \
	RECORD_OPTIONS(recording), ANALYSIS_OPTIONS(judging), TESTING_OPTIONS(judging), EXPLORE_OPTIONS(judging), \
		RACE_OPTIONS(judging), OPERATION_OPTIONS(operating), SERVICE_OPTIONS(judging),                    \
		REPORT_OPTIONS(reporting, "error", REPORTS_PRINTED), OPTION_OUT(&(recording)->out),               \
		OPTION_PROGRESS(&(recording)->progress), OPTION_QUIET(&(recording)->quiet)

struct analyze {
	/* Set by the command, before analyze_prepare: */
	const struct analysis_words *words;
	const struct operation_words *operation_words;
	const struct report_words *report;
	const struct option *options;    /* its table */
	struct saved_options saved;      /* with --resume */
	const struct shard_parts *parts; /* to put together; NULL: none */
	bool show_progress, quiet;
	/* before analyze_read: */
	const char *dir, *out;             /* the recording; the directory for reports */
	const char *dir_shown, *out_shown; /* the same, as the user wrote them */

	/* Set by analyze_prepare: */
	struct analysis_options how;
	struct operation_options operations;
	struct printing printing;
	struct progress progress;
	struct plugins *plugins; /* NULL: none */
	struct analysis *analysis;
	char *depends; /* see struct campaign_options */

	/* Set by analyze_finish: */
	bool tests_left; /* stopped, or out of time, before all crash states were tested */
};

/* Check all options and read the files that they name. -1, usually ERR_USAGE. */
int analyze_prepare(struct analyze *analyze, struct err *err);

/* Read the recording, or the rest of it. -1: it is damaged. */
int analyze_read(struct analyze *analyze, struct err *err);

/* Say that the user stopped the tests, and which command goes on.  `engine`: as of --cluster; NULL: without it. */
void analyze_say_tests_left(const struct analyze *analyze, const char *engine);

/* The recording was read: will analyze_finish test crash states? */
bool analyze_will_test(const struct analyze *analyze, const struct record *record);

/* Test crash states, write the reports, print the one that the user asked for, and say what went wrong.  `record`: how
 * the target was recorded; NULL: by an earlier command.  Returns the exit status.  The reports are written and printed
 * no matter how the target ended; if it ended badly, that decides the exit status. */
int analyze_finish(struct analyze *analyze, const struct record *record);

void analyze_close(struct analyze *analyze);

#endif
