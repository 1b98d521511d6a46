/* SPDX-License-Identifier: GPL-2.0-or-later */
/* course.c - see course.h. */
#include "search/course.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/path.h"

#define HEAD "seconds,executions,inputs,branches,pm_reached,pm_known,findings\n"

enum { LINE_BYTES = 256 };

/* How long the searches before took: the first figure of the last line. */
static double last_seconds(FILE *file)
{
	char line[LINE_BYTES];
	double seconds = 0;

	rewind(file);
	while (fgets(line, sizeof(line), file))
		seconds = strtod(line, NULL);
	return seconds;
}

int course_open(struct course *t, const char *dir, bool append, struct err *err)
{
	char path[PATH_MAX];

	*t = (struct course){.written = true};
	if (path_make(path, sizeof(path), err, "%s/" COURSE_FILE, dir) < 0)
		return -1;
	t->file = fopen(path, append ? "a+e" : "we");
	if (!t->file)
		return err_sys(err, "cannot write %s", path);
	if (append)
		t->before = last_seconds(t->file);
	if (!append)
		fputs(HEAD, t->file);
	return 0;
}

static void point_write(struct course *t)
{
	const struct course_point *p = &t->last;

	fprintf(t->file, "%.1f,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n",
		t->before + p->seconds, p->executions, p->inputs, p->branches, p->pm_reached, p->pm_known, p->findings);
	fflush(t->file);
	t->written = true;
}

void course_close(struct course *t)
{
	if (!t->file)
		return;
	if (!t->written)
		point_write(t);
	fclose(t->file);
	t->file = NULL;
}

static bool is_same(const struct course_point *a, const struct course_point *b)
{
	return a->inputs == b->inputs && a->branches == b->branches && a->pm_reached == b->pm_reached &&
	       a->pm_known == b->pm_known && a->findings == b->findings;
}

void course_add(struct course *t, const struct course_point *point)
{
	bool same = is_same(&t->last, point);

	t->last = *point;
	t->written = false;
	if (!same)
		point_write(t);
}
