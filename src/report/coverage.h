/* SPDX-License-Identifier: GPL-2.0-or-later */
/* coverage.h - what was tested and what was not, in sentences:
 *
 *     "33 of 90 segments run different code; 30 of these were explored completely, 3 partly."
 *
 * "Every crash state that can matter was tested" is said only where nothing was left out and nothing else could have
 * happened: all segments, to their end, of a program with one thread, without an option that limits testing. */
#ifndef BLACKOUT_REPORT_COVERAGE_H
#define BLACKOUT_REPORT_COVERAGE_H

#include <stddef.h>

struct findings;

enum { COVERAGE_MAX = 1024 };

/* Write the sentences into `text`, which has room for COVERAGE_MAX bytes; there is at least one. */
void coverage_text(const struct findings *findings, char *text);

#endif
