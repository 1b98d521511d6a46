/* SPDX-License-Identifier: GPL-2.0-or-later */
/* text_out.h - lines of limited width on a terminal, for text.c.
 *
 * Text is wrapped at spaces.  A word that is wider than the line is not broken, so that paths can be copied. */
#ifndef BLACKOUT_REPORT_TEXT_OUT_H
#define BLACKOUT_REPORT_TEXT_OUT_H

#include "report/formats.h"

#define INDENT 4u

struct text {
	FILE *out;
	unsigned width;
	bool color;
	unsigned column;
	const char *dir; /* where the reports are, or NULL */
};

enum style { STYLE_PLAIN, STYLE_BOLD, STYLE_DIM, STYLE_RED, STYLE_YELLOW, STYLE_CYAN, STYLE_GREEN };

void text_style(struct text *t, enum style style);
void text_newline(struct text *t);
void text_put(struct text *t, const char *text, size_t size);
void text_print(struct text *t, const char *text);
void text_pad(struct text *t, unsigned column);

/* Print words up to the width; each new line is indented. */
void text_wrap(struct text *t, const char *text, unsigned indent);

/* Print a paragraph of a finding, with a label before it; the label may be NULL. */
void text_paragraph(struct text *t, const char *label, const char *text);

/* The additional parts of a crash finding: text_crash prints the story, before the fix; text_replay prints the replay
 * command, after the fix; text_crash.c. */
void text_crash(struct text *t, const struct finding *finding);
void text_replay(struct text *t, const struct finding *finding);

/* text_counted prints a line in the head about the counted crash states; text_segments prints the segments with the
 * most states, after the findings; text_segments.c. */
void text_counted(struct text *t, const struct findings_stats *stats);
void text_segments(struct text *t, const struct findings *findings);
void text_funnel(struct text *t, const struct findings_stats *stats);

#endif
