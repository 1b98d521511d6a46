/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report_options.h - the options of `run`, `check` and `report` for findings that count, and the report on standard
 * output.
 *
 *     static struct report_words given;
 *     static const struct option options[] = {REPORT_OPTIONS(&given, "error", REPORTS_PRINTED), {0}};
 *     ...
 *     const struct printing printing = printing_parse(&given);
 *     if (printing_report(&printing, findings, dir, &err) < 0) ...
 *     status = printing_status(&printing, findings); */
#ifndef BLACKOUT_CLI_REPORT_OPTIONS_H
#define BLACKOUT_CLI_REPORT_OPTIONS_H

#include "cli/option.h"
#include "report/report.h"

/* As on the command line. */
struct report_words {
	const char *fail_on, *baseline, *format, *color;
	struct option_list suppress;
};

/* clang-format off */
/* The command's own rows that follow belong to the group "Output". */
#define REPORT_OPTIONS(o, fail_on_default, formats) \
	OPTION_GROUP("Findings"), \
	{"fail-on", OPTION_VALUES(SEVERITIES(SEVERITY_BAR) "|never"), fail_on_default, "lowest severity that makes the exit status 1", OPTION_TEXT, &(o)->fail_on}, \
	{"suppress", "FILE", NULL, "findings to leave out, with reasons", OPTION_LIST, &(o)->suppress}, \
	{"baseline", "FILE", NULL, "an earlier findings.json; only new findings count", OPTION_TEXT, &(o)->baseline}, \
	OPTION_GROUP("Output"), \
	{"format", OPTION_VALUES(formats(REPORT_BAR)), "text", "what to print on standard output", OPTION_TEXT, &(o)->format}, \
	{"color", "auto|always|never", "auto", "colors in the text report", OPTION_TEXT, &(o)->color}
/* clang-format on */

/* How to print findings, and what they mean for the exit status. */
struct printing {
	enum report_format format;
	enum severity fail_on;
	bool never; /* findings do not change the exit status */
	bool color;
	unsigned width;
};

/* Also looks at the terminal.  The table of options has already refused unknown words. */
struct printing printing_parse(const struct report_words *words);

/* Print the findings on standard output.  `dir`: where the other reports are, as the user wrote it. */
int printing_report(const struct printing *printing, const struct findings *findings, const char *dir, struct err *err);

/* The exit status. */
int printing_status(const struct printing *printing, const struct findings *findings);

#endif
