/* SPDX-License-Identifier: GPL-2.0-or-later */
/* formats.h - the formats behind report.h, one file each.  They write to a stream and do not check for errors; report.c
 * does. */
#ifndef BLACKOUT_REPORT_FORMATS_H
#define BLACKOUT_REPORT_FORMATS_H

#include "report/report.h"

#define SCHEMA "blackout/findings/1"

void text_write(const struct findings *findings, const struct report_options *options, FILE *out);
void json_write(const struct findings *findings, FILE *out);
void sarif_write(const struct findings *findings, FILE *out);
void junit_write(const struct findings *findings, const struct report_options *options, FILE *out);
void html_write(const struct findings *findings, FILE *out);

static inline bool finding_is_active(const struct finding *finding)
{
	return finding->state == FINDING_ACTIVE;
}

/* "1 842": digits in groups of three, separated by `blank`. */
const char *grouped_text(char text[40], uint64_t number, const char *blank);

/* The same for a figure; a large one becomes "1.68e603". */
const char *figure_text(char text[40], struct findings_figure figure, const char *blank);

#endif
