/* SPDX-License-Identifier: GPL-2.0-or-later */
/* html.h - the parts of report.html; see html.c. */
#ifndef BLACKOUT_REPORT_HTML_H
#define BLACKOUT_REPORT_HTML_H

#include "base/source.h"
#include "report/formats.h"

struct html {
	FILE *out;
	struct sources *sources;
	uint64_t operations; /* how many the list has; 0: there is no list */
};

/* `format` is HTML and is written as is.  Only %d, %u, %zu, %llu and constant texts may be inserted. */
__attribute__((format(printf, 2, 3))) void html_raw(struct html *h, const char *format, ...);

/* Write text, escaped; nothing for NULL. */
void html_text(struct html *h, const char *text);

/* Write a number in groups of three digits. */
void html_number(struct html *h, uint64_t number);

/* One finding, folded; html_finding.c. */
void html_finding(struct html *h, const struct finding *finding);

/* The crash state of a finding and what happened in it; html_crash.c. */
void html_crash(struct html *h, const struct finding_crash *crash);

/* The invariant that the state violates; html_invariant.c. */
void html_invariant(struct html *h, const struct finding_invariant *invariant);

/* The strip of the operations, with this crash or with the crashes of all findings, and the outputs that differ;
 * html_operations.c.  They write nothing if there is nothing to show. */
void html_operation(struct html *h, const struct finding_crash *crash);
void html_operations(struct html *h, const struct findings *findings);
void html_mismatch(struct html *h, const struct finding_mismatch *mismatch);

/* A place, a few lines of source around it, and a stack; html_finding.c. */
void html_place(struct html *h, const struct finding_frame *frame);
void html_excerpt(struct html *h, const struct finding_frame *frame);
void html_stack(struct html *h, const struct finding_stack *stack);

/* The events on the finding's line, as an SVG with its legend, and as a table; html_drawing.c. */
void html_drawing(struct html *h, const struct finding *finding);

#endif
