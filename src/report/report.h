/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report.h - findings in the formats that people and programs read.
 *
 *     report_write(REPORT_TEXT, findings, &options, stdout, &err);
 *     report_write_all(findings, &options, "blackout.out", &err);      // findings.json .sarif .xml, report.txt, report.html
 *
 * Findings must be numbered (findings_number).  Nothing here looks at the terminal or the environment: the caller says
 * how wide it is and whether there are colours.  The same findings give the same bytes. */
#ifndef BLACKOUT_REPORT_REPORT_H
#define BLACKOUT_REPORT_REPORT_H

#include <stdio.h>

#include "finding/finding.h"

/* X(NAME, what --format calls it, file in DIR) */
#define REPORTS(X)                          \
	X(TEXT, "text", "report.txt")       \
	X(JSON, "json", "findings.json")    \
	X(SARIF, "sarif", "findings.sarif") \
	X(JUNIT, "junit", "findings.xml")   \
	X(HTML, "html", "report.html")

enum report_format {
#define X(name, text, file) REPORT_##name,
	REPORTS(X)
#undef X
		REPORT_COUNT
};

struct report_options {
	unsigned width;        /* TEXT: columns; 0: 80 */
	bool colour;           /* TEXT */
	const char *dir;       /* TEXT: where the other reports are, as the user wrote it; NULL: not said */
	enum severity fail_on; /* JUNIT: what is a failure; zero is SEVERITY_ERROR */
};

/* Write to `out`.  -1 if that fails. */
int report_write(enum report_format format, const struct findings *findings, const struct report_options *options,
		 FILE *out, struct err *err);

/* Write all formats into `dir`, each file replaced at once; the text there without colours and 100 columns wide. */
int report_write_all(const struct findings *findings, const struct report_options *options, const char *dir,
		     struct err *err);

/* The format of that name: false if there is none. */
bool report_find(const char *name, enum report_format *format);

const char *report_file(enum report_format format);

#endif
