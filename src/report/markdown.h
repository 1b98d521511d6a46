/* SPDX-License-Identifier: GPL-2.0-or-later */
/* markdown.h - a document of ours as plain text for a terminal.
 *
 * Knows what doc/findings uses: headings, paragraphs, lists with dashes, blocks of code (fenced or indented), links and
 * emphasis.  Headings stand at the left, all else is indented. */
#ifndef BLACKOUT_REPORT_MARKDOWN_H
#define BLACKOUT_REPORT_MARKDOWN_H

#include <stdio.h>

void markdown_write(const char *text, unsigned width, FILE *out);

#endif
