/* SPDX-License-Identifier: GPL-2.0-or-later */
/* record.c - recovery on a state, recorded like any program: to crash it in turn (nested.c), or to see what it reads
 * (observe.c, leftovers.c). */
#include <limits.h>
#include <sys/stat.h>

#include "base/path.h"
#include "crash/campaign_in.h"
#include "image/tree.h"
#include "run/recorder.h"
#include "run/recording.h"
#include "trace/seal.h"

#define WATCH_DIR "observed"
enum { PATIENCE = 50 /* recording is slow */ };

int campaign_record(struct campaign *c, const struct recorder *recorder, const char *dir, const struct state *state,
		    bool loads, struct err *err)
{
	const struct origin *origin = c->survey->origin;
	struct recorder_job job = {.dir = dir,
				   .follow = true,
				   .loads = loads,
				   .code_hash = c->options.explore,
				   .pmem_force = c->options.pmem_force};
	const struct tester_input input = {.state = state, .content = c->survey->final};
	struct words argv = {0}, environment = {0};
	struct outcome outcome;
	int r;

	for (size_t i = 0; i < origin_path_count(origin); i++)
		words_add(&job.pm, "%s", origin_path(origin, i));
	words_add(&job.target, "/bin/sh");
	words_add(&job.target, "-c");
	words_add(&job.target, "%s", c->options.recover);
	recorder_command(recorder, &job, &argv, &environment);
	r = tester_other(c->tester, &input, argv.items, environment.items, PATIENCE, &outcome, err);
	if (r == 0)
		outcome_free(&outcome);
	words_free(&argv);
	words_free(&environment);
	words_free(&job.pm);
	words_free(&job.target);
	return r;
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
	struct recorder recorder;
	struct err ignored;
	char dir[PATH_MAX];
	int r;

	*whole = false;
	if (path_make(dir, sizeof(dir), &ignored, "%s/" WATCH_DIR "/recovery", c->options.out) < 0 ||
	    recording_create(&recording, dir, &ignored) < 0)
		return 0;
	r = recorder_find_valgrind(&recorder, &ignored);
	if (r == 0)
		r = recorder_find_tool(&recorder, &ignored);
	if (r == 0)
		r = campaign_record(c, &recorder, recording.dir, state, true, &ignored);
	if (r == 0 && trace_seal(recording.dir, &(struct seal_options){0}, &ignored) == 0)
		*whole = recording_tell(recording.dir, told, arg);
	recording_close(&recording);
	tree_remove(dir);
	return r == TESTER_STOPPED ? r : 0;
}
