/* SPDX-License-Identifier: GPL-2.0-or-later */
/* markdown.h - print one of our documents as plain text on a terminal.
 *
 * It supports what doc/findings uses: headings, paragraphs, lists with dashes, code blocks (fenced or indented), links
 * and emphasis.  Headings are at the left margin; everything else is indented. */
#ifndef BLACKOUT_REPORT_MARKDOWN_H
#define BLACKOUT_REPORT_MARKDOWN_H

#include <stdio.h>

void markdown_write(const char *text, unsigned width, FILE *out);

#endif
