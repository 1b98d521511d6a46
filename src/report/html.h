/* SPDX-License-Identifier: GPL-2.0-or-later */
/* html.h - the parts of report.html; see html.c. */
#ifndef BLACKOUT_REPORT_HTML_H
#define BLACKOUT_REPORT_HTML_H

#include "finding/source.h"
#include "report/formats.h"

struct html {
	FILE *out;
	struct sources *sources;
};

/* `format` as it is, which is HTML; only %d, %u, %zu, %llu and constant texts may go in. */
__attribute__((format(printf, 2, 3))) void html_raw(struct html *h, const char *format, ...);

/* Text, escaped; nothing for NULL. */
void html_text(struct html *h, const char *text);

/* A number in groups of three. */
void html_number(struct html *h, uint64_t number);

/* One finding, folded; html_finding.c. */
void html_finding(struct html *h, const struct finding *finding);

/* What happened in the crash state of a finding; html_crash.c. */
void html_crash(struct html *h, const struct finding_crash *crash);

/* A place, a few lines of source around it, a stack; html_finding.c. */
void html_place(struct html *h, const struct finding_frame *frame);
void html_excerpt(struct html *h, const struct finding_frame *frame);
void html_stack(struct html *h, const struct finding_stack *stack);

/* The events on its line, as an SVG with its legend, and as a table; html_drawing.c. */
void html_drawing(struct html *h, const struct finding *finding);

#endif
