/* SPDX-License-Identifier: GPL-2.0-or-later */
/* course.h - how far a search was at each moment: DIR/progress.csv, for a curve or to compare strategies.
 *
 *     seconds,executions,inputs,branches,pm_reached,pm_known,findings
 *     0.8,1,1,33,3,203,0
 *
 * There is a line for each execution that changed one of the figures behind `executions`, and one for the end.
 * A search that is resumed goes on where its last line is, also in time. */
#ifndef BLACKOUT_SEARCH_COURSE_H
#define BLACKOUT_SEARCH_COURSE_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"

#define COURSE_FILE "progress.csv"

struct course_point {
	double seconds;
	uint64_t executions, inputs, branches, pm_reached, pm_known, findings;
};

struct course {
	FILE *file;    /* NULL: not open */
	double before; /* seconds of the searches that this one goes on with */
	struct course_point last;
	bool written; /* the last point */
};

/* Begin a new file, or go on with the one that is there. */
int course_open(struct course *course, const char *dir, bool append, struct err *err);
/* The last point is written, too. */
void course_close(struct course *course);

/* An execution is done; `seconds` have passed since the search began or went on.  A line that cannot be written is lost. */
void course_add(struct course *course, const struct course_point *point);

#endif
