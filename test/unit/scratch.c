/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "scratch.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int scratch_make(void **state)
{
	const char *tmp = getenv("TMPDIR");
	char path[4096];

	snprintf(path, sizeof(path), "%s/blackout-unit-XXXXXX", tmp && *tmp ? tmp : "/tmp");
	if (!mkdtemp(path))
		return -1;
	*state = strdup(path);
	return *state ? 0 : -1;
}

static int remove_one(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
	(void)st, (void)flag, (void)ftw;
	return remove(path);
}

int scratch_remove(void **state)
{
	int r = nftw(*state, remove_one, 16, FTW_DEPTH | FTW_PHYS);

	free(*state);
	return r;
}

struct trace *scratch_open(const char *dir)
{
	struct trace *trace;
	struct err err;

	if (trace_open(&trace, dir, &err) < 0)
		fail_msg("%s", err.sentence);
	return trace;
}

struct trace *scratch_read(const char *dir)
{
	struct trace *trace = scratch_open(dir);
	struct event ev;
	struct err err;

	while (trace_next(trace, &ev, &err) > 0)
		;
	return trace;
}

struct event scratch_next(struct trace *trace, enum event_type type)
{
	struct event ev;
	struct err err;
	int r = trace_next(trace, &ev, &err);

	if (r < 0)
		fail_msg("%s", err.sentence);
	assert_int_equal(r, 1);
	assert_int_equal(ev.type, type);
	return ev;
}

void scratch_end(struct trace *trace)
{
	struct event ev;
	struct err err;
	int r = trace_next(trace, &ev, &err);

	if (r < 0)
		fail_msg("%s", err.sentence);
	assert_int_equal(r, 0);
}

long scratch_read_all(const char *dir, struct err *err)
{
	struct trace *trace;
	struct event ev;
	long events = 0;
	int r;

	if (trace_open(&trace, dir, err) < 0)
		return -1;
	while ((r = trace_next(trace, &ev, err)) > 0)
		events++;
	trace_close(trace);
	return r < 0 ? -1 : events;
}

void scratch_expect_error(const char *dir, const char *sentence)
{
	struct err err = {0};

	assert_int_equal(scratch_read_all(dir, &err), -1);
	assert_string_equal(err.sentence, sentence);
	assert_int_equal(err.status, ERR_CANNOT);
}

void scratch_expect_damage(const char *dir, const char *what)
{
	char end[200];
	struct err err = {0};

	assert_int_equal(scratch_read_all(dir, &err), -1);
	snprintf(end, sizeof(end), ": %s", what);
	assert_non_null(strstr(err.sentence, end));
}
