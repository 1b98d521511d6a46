/* SPDX-License-Identifier: GPL-2.0-or-later */
/* text_out.h - lines of a certain width on a terminal, for text.c.
 *
 * A text is wrapped at blanks; a word that is wider than the line stays whole, so that paths can be copied. */
#ifndef BLACKOUT_REPORT_TEXT_OUT_H
#define BLACKOUT_REPORT_TEXT_OUT_H

#include "report/formats.h"

#define INDENT 4u

struct text {
	FILE *out;
	unsigned width;
	bool colour;
	unsigned column;
	const char *dir; /* where the reports are, or NULL */
};

enum style { STYLE_PLAIN, STYLE_BOLD, STYLE_DIM, STYLE_RED, STYLE_YELLOW, STYLE_CYAN, STYLE_GREEN };

void text_style(struct text *t, enum style style);
void text_newline(struct text *t);
void text_put(struct text *t, const char *text, size_t size);
void text_print(struct text *t, const char *text);
void text_pad(struct text *t, unsigned column);

/* Words up to the width, each new line indented. */
void text_wrap(struct text *t, const char *text, unsigned indent);

/* A paragraph of a finding, with a word before it; label may be NULL. */
void text_paragraph(struct text *t, const char *label, const char *text);

/* What is special about crash findings: the story, before the fix, and the command that shows it again, after;
 * text_crash.c. */
void text_crash(struct text *t, const struct finding *finding);
void text_replay(struct text *t, const struct finding *finding);

/* A line about crash states that were counted, in the head; the segments that have most of them, after the findings;
 * text_segments.c. */
void text_counted(struct text *t, const struct findings_stats *stats);
void text_segments(struct text *t, const struct findings *findings);
void text_funnel(struct text *t, const struct findings_stats *stats);

#endif
