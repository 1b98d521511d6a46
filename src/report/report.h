/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report.h - write findings in formats for people and programs.
 *
 *     report_write(REPORT_TEXT, findings, &options, stdout, &err);
 *     report_write_all(findings, &options, "blackout.out", &err);    // findings.json .sarif .xml, report.txt .html
 *
 * Findings must be numbered (findings_number).  Nothing here looks at the terminal or the environment: the caller
 * passes the width and whether to use colors.  The same findings always give the same bytes. */
#ifndef BLACKOUT_REPORT_REPORT_H
#define BLACKOUT_REPORT_REPORT_H

#include <stdio.h>

#include "finding/finding.h"

/* X(NAME, name for --format, file in DIR).  All commands that report can print the first four. */
#define REPORTS_PRINTED(X)                  \
	X(TEXT, "text", "report.txt")       \
	X(JSON, "json", "findings.json")    \
	X(SARIF, "sarif", "findings.sarif") \
	X(JUNIT, "junit", "findings.xml")
#define REPORTS(X) REPORTS_PRINTED(X) X(HTML, "html", "report.html")
#define REPORT_BAR(name, text, file) "|" text /* for REPORTS_PRINTED(REPORT_BAR): "|text|json|sarif|junit" */

enum report_format {
#define X(name, text, file) REPORT_##name,
	REPORTS(X)
#undef X
		REPORT_COUNT
};

struct report_options {
	unsigned width;        /* TEXT: columns; 0: 80 */
	bool color;            /* TEXT */
	const char *dir;       /* TEXT: where the other reports are, as the user wrote it; NULL: do not mention it */
	enum severity fail_on; /* JUNIT: the severity that counts as a failure; zero is SEVERITY_ERROR */
};

/* Write to `out`. -1: a write failed. */
int report_write(enum report_format format, const struct findings *findings, const struct report_options *options,
		 FILE *out, struct err *err);

/* Write all formats to `dir`.  Each file is replaced atomically.  The text file has no colors and is 100 columns
 * wide. */
int report_write_all(const struct findings *findings, const struct report_options *options, const char *dir,
		     struct err *err);

/* Find a format by name; false: there is none. */
bool report_find(const char *name, enum report_format *format);

const char *report_file(enum report_format format);

#endif
