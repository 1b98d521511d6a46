/* SPDX-License-Identifier: GPL-2.0-or-later */
/* recovery_trace.c - record recovery on a state like any program, to crash it (nested.c) or to see what it reads (observe.c,
 * leftovers.c). */
#include <limits.h>
#include <sys/stat.h>

#include "base/path.h"
#include "crash/campaign_in.h"
#include "image/tree.h"
#include "run/recording.h"
#include "trace/seal.h"

#define WATCH_DIR "observed"

int campaign_record(struct campaign *c, const char *dir, const struct state *state, bool loads, struct err *err)
{
	const struct tester_input input = {.state = state, .content = c->survey->final};
	const struct tester_recording how = {.dir = dir, .loads = loads, .code_hash = c->options.explore};

	return tester_record(c->tester, &input, &how, err);
}

static bool recording_tell(const char *dir, campaign_told *told, void *arg)
{
	struct trace *trace;
	struct event ev;
	struct err err;
	int more;

	if (trace_open(&trace, dir, &err) < 0)
		return false;
	while ((more = trace_next(trace, &ev, &err)) > 0)
		told(arg, trace, &ev);
	trace_close(trace);
	return more == 0;
}

void campaign_watch_prepare(struct campaign *c)
{
	struct err ignored;
	char dir[PATH_MAX];

	if (path_make(dir, sizeof(dir), &ignored, "%s/" WATCH_DIR, c->options.out) == 0)
		mkdir(dir, 0777); /* if it fails, nothing can be recorded there either */
}

void campaign_watch_end(struct campaign *c)
{
	struct err ignored;
	char dir[PATH_MAX];

	if (path_make(dir, sizeof(dir), &ignored, "%s/" WATCH_DIR, c->options.out) == 0)
		tree_remove(dir);
}

int campaign_watch(struct campaign *c, const struct state *state, campaign_told *told, void *arg, bool *whole)
{
	struct recording recording = {.fd = -1};
	struct err ignored;
	char dir[PATH_MAX];
	int r;

	*whole = false;
	if (path_make(dir, sizeof(dir), &ignored, "%s/" WATCH_DIR "/recovery", c->options.out) < 0 ||
	    recording_create(&recording, dir, &ignored) < 0)
		return 0;
	r = campaign_record(c, recording.dir, state, true, &ignored);
	if (r == 0 && trace_seal(recording.dir, &(struct seal_options){0}, &ignored) == 0)
		*whole = recording_tell(recording.dir, told, arg);
	recording_close(&recording);
	tree_remove(dir);
	return r == TESTER_STOPPED ? r : 0;
}
