/* SPDX-License-Identifier: GPL-2.0-or-later */
/* verdict.h - from an analyzed recording to reports and an exit status: shared by `run`, `check` and `report`.
 *
 *     static struct verdict_options given;
 *     static const struct option options[] = {ANALYSIS_OPTIONS(&given), VERDICT_OPTIONS(&given), {0}};
 *     ...
 *     struct verdict verdict;
 *     if (verdict_prepare(&verdict, &given, &err) < 0) ...                // finds all mistakes before anything is run
 *     status = verdict_give(&verdict, scan, campaign, &facts, &err);  // writes and prints the reports
 *     verdict_free(&verdict); */
#ifndef BLACKOUT_ANALYSIS_VERDICT_H
#define BLACKOUT_ANALYSIS_VERDICT_H

#include "analysis/counting.h"
#include "analysis/scan.h"
#include "campaign/campaign.h"
#include "cli/option.h"
#include "finding/finding.h"
#include "finding/suppress.h"
#include "report/report.h"

struct verdict_options {
	const char *detect, *platform, *write_suppressions;
	struct option_list own, fold, no_fold;

	const char *format, *fail_on, *baseline, *color;
	struct option_list suppress;
};

/* clang-format off */
/* Rows for commands that analyze. */
#define ANALYSIS_OPTIONS(o) \
	OPTION_GROUP("Analysis"), \
	{"detect", OPTION_VALUES(DETECTORS(DETECTOR_BAR) ",..."), "patterns,inject", "which detectors to use", OPTION_TEXT | OPTION_KEPT, &(o)->detect}, \
	{"platform", OPTION_VALUES(PLATFORMS(PLATFORM_BAR) ",..."), "adr", "which platforms to judge for", OPTION_TEXT | OPTION_KEPT, &(o)->platform}, \
	{"own", "PATTERN", NULL, "modules or source paths that are your own code", OPTION_LIST | OPTION_KEPT, &(o)->own}, \
	{"fold", "PATTERN", NULL, "functions, modules or source paths whose callers findings name instead", OPTION_LIST | OPTION_KEPT, &(o)->fold}, \
	{"no-fold", "FUNCTION", NULL, "functions that findings name even if they only flush for their callers", OPTION_LIST | OPTION_KEPT, &(o)->no_fold}, \
	{"write-suppressions", "FILE", NULL, "write a suppression for each finding to FILE", OPTION_TEXT, &(o)->write_suppressions}

/* Rows for all commands that report.  The command's own rows that follow belong to the group "Output". */
#define VERDICT_OPTIONS(o, fail_on_default, formats) \
	OPTION_GROUP("Findings"), \
	{"fail-on", OPTION_VALUES(SEVERITIES(SEVERITY_BAR) "|never"), fail_on_default, "lowest severity that makes the exit status 1", OPTION_TEXT, &(o)->fail_on}, \
	{"suppress", "FILE", NULL, "findings to leave out, with reasons", OPTION_LIST, &(o)->suppress}, \
	{"baseline", "FILE", NULL, "an earlier findings.json; only new findings count", OPTION_TEXT, &(o)->baseline}, \
	OPTION_GROUP("Output"), \
	{"format", OPTION_VALUES(formats(REPORT_BAR)), "text", "what to print on standard output", OPTION_TEXT, &(o)->format}, \
	{"color", "auto|always|never", "auto", "colors in the text report", OPTION_TEXT, &(o)->color}
/* clang-format on */

struct verdict {
	const struct verdict_options *options;
	struct choice choice;
	enum report_format format;
	enum severity lowest;
	bool never;
	bool colour;
	unsigned width;
	struct suppress **suppress;      /* options->suppress.count of them */
	struct findings *baseline;       /* NULL: none */
	const struct counting *counting; /* may be NULL; the command sets it before verdict_give */
};

/* Facts that the command knows and the recording does not contain. */
struct verdict_facts {
	const char *dir;       /* the recording */
	const char *out;       /* where the reports go */
	const char *out_shown; /* the same, as the user wrote it */
	double start;          /* clock_seconds() at the start of the command */
	bool quiet;            /* no text on standard output */
	const char *recover;   /* --recover; NULL: none */
	const char *warning;   /* why a run without findings is not a success; NULL: it is one */
	const char *untested;  /* why crash states were not tested though they should have been; NULL: no problem */
};

/* Check the options and read the files that they name; -1, usually ERR_USAGE. verdict_free is needed even after
 * failure. */
int verdict_prepare(struct verdict *verdict, const struct verdict_options *options, struct err *err);
void verdict_free(struct verdict *verdict);

/* Report what the scan found, and the campaign if it is not NULL.  Returns the exit status: 0 or 1; or -1 with *err
 * if something could not be written.  Everything else is still written. */
int verdict_give(struct verdict *verdict, const struct scan *scan, struct campaign *campaign,
		 const struct verdict_facts *facts, struct err *err);

/* Report findings that were read back: suppress, print on standard output, judge. */
int verdict_repeat(struct verdict *verdict, struct findings *findings, const char *shown, struct err *err);

#endif
