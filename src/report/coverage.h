/* SPDX-License-Identifier: GPL-2.0-or-later */
/* coverage.h - say in sentences what was tested and what was not:
 *
 *     "33 of 90 segments run different code; 30 of these were explored completely, 3 partly."
 *
 * "Every crash state that can matter was tested" is said only if nothing was left out and nothing else could have
 * happened: all segments were explored to their end, the program has one thread, and no option limits testing. */
#ifndef BLACKOUT_REPORT_COVERAGE_H
#define BLACKOUT_REPORT_COVERAGE_H

#include <stddef.h>

struct findings;

enum { COVERAGE_MAX = 1024 };

/* Write the sentences to `text`, which has room for COVERAGE_MAX bytes.  There is at least one sentence. */
void coverage_text(const struct findings *findings, char *text);

#endif
