/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tester_local_record.c - recordings of recovery on a crash state, for whoever asks, and for profiles (run/profile.h). */
#include <stdlib.h>

#include "base/clock.h"
#include "blackout/trace_format.h"
#include "crash/profiling.h"
#include "crash/tester_local_in.h"
#include "run/recorder.h"
#include "run/shell.h"

enum {
	PATIENCE_RECORDING = 50,  /* times the time limit */
	PROFILE_PATIENCE = 3,     /* likewise, for a recording that only saves time */
	PROFILE_MOST = 256 << 20, /* bytes of such a recording */
};

static int recorder_find(struct recorder *recorder, struct err *err)
{
	return recorder_find_valgrind(recorder, err) < 0 ? -1 : recorder_find_tool(recorder, err);
}

int local_can_record(void *arg, struct err *err)
{
	struct recorder recorder;

	(void)arg;
	return recorder_find(&recorder, err);
}

/* The shell is not recorded if it only starts a program: starting the recorder takes most of the time of a short
 * recovery, and it would start for the shell and again for the program. */
static void shell_under(struct words *argv, const char *command, const struct words *recorder)
{
	char *text = shell_command_under(command, recorder);

	for (size_t i = 0; !text && i < recorder->count; i++)
		words_add(argv, "%s", recorder->items[i]);
	words_add(argv, "/bin/sh");
	words_add(argv, "-c");
	words_add(argv, "%s", text ? text : command);
	free(text);
}

/* The command line that records recovery, in the setting of the worker. */
static int recorder_words(struct local *l, unsigned worker, const struct tester_recording *how, struct words *argv,
			  struct words *environment, struct err *err)
{
	const struct recovery_options *o = &l->tester.options.recovery;
	struct recorder_job job = {.dir = how->dir,
				   .most = how->most,
				   .follow = true,
				   .loads = how->layers & BO_LAYER_LOADS,
				   .reads = how->layers & BO_LAYER_READS,
				   .code_hash = how->layers & BO_LAYER_CODE,
				   .dependencies = how->layers & BO_LAYER_DEPENDENCIES,
				   .sync = how->layers & BO_LAYER_SYNC,
				   .pmem_force = o->pmem_force};
	struct words before = {0};
	struct recorder recorder;
	const char *command;

	if (recorder_find(&recorder, err) < 0 || !(command = recovery_command(l->recovery, worker, err)))
		return -1;
	for (size_t i = 0; i < origin_path_count(o->origin); i++)
		words_add(&job.pm, "%s", origin_path(o->origin, i));
	/* In place, these paths are links to files of the stage. */
	words_add(&job.pm, "%s.scene/*", stage_dir(l->slots[worker].stage));
	recorder_command(&recorder, &job, &before, environment);
	words_free(&job.pm);
	shell_under(argv, command, &before);
	words_free(&before);
	return 0;
}

static double recording_limit(const struct local *l, const struct tester_recording *how)
{
	double limit = (how->patience ? how->patience : PATIENCE_RECORDING) * l->tester.options.recovery.timeout;

	return how->seconds > 0 && how->seconds < limit ? how->seconds : limit;
}

/* Run the recorder in place of recovery, on real files at the original paths. */
int local_record(struct tester *t, const struct tester_input *input, const struct tester_recording *how,
		 struct err *err)
{
	struct local *l = local_of(t);
	struct words argv = {0}, environment = {0};
	struct outcome outcome;
	int r = local_stage_input(l, input, err);

	if (r < 0)
		return r;
	r = recorder_words(l, 0, how, &argv, &environment, err);
	if (r == 0) {
		r = recovery_other(l->recovery, 0, argv.items, environment.items, recording_limit(l, how), &outcome,
				   err);
		stage_distrust(l->slots[0].stage);
		if (r == 0)
			outcome_free(&outcome);
	}
	words_free(&argv);
	words_free(&environment);
	return local_result(r);
}

int local_start_recording(struct tester *t, const struct tester_input *input, const struct tester_recording *how,
			  tester_heard *heard, void *arg, struct err *err)
{
	struct local *l = local_of(t);
	int worker = local_fill(l, input->state, input->crash, err), r;
	struct slot *slot;

	if (worker < 0)
		return worker;
	slot = &l->slots[worker];
	r = recorder_words(l, (unsigned)worker, how, &slot->argv, &slot->environment, err);
	if (r == 0) {
		slot->ticket = (struct tester_ticket){.crash = *input->crash, .heard = heard, .arg = arg};
		r = recovery_start_other(l->recovery, (unsigned)worker, slot->argv.items, slot->environment.items,
					 recording_limit(l, how), slot, err);
	}
	if (r < 0)
		slot_clear(slot);
	return r;
}

/* Profiles */

static struct recovery_trace_options profile_how(struct local *l, const struct state *state,
						 const struct crash_context *crash)
{
	return (struct recovery_trace_options){
		.tester = &l->tester,
		.input = {.state = state, .crash = crash},
		.layers = PROFILING_LAYERS,
		.patience = PROFILE_PATIENCE,
		.seconds = checkpoints_budget(l->tester.options.checkpoints),
		.most = PROFILE_MOST,
		.under = checkpoints_under(l->tester.options.checkpoints),
	};
}

/* Record recovery on the state.  The stage of the first worker has it, before and after. */
static int profile_record(struct local *l, const struct state *state, const struct crash_context *crash,
			  struct profiling *p, struct err *err)
{
	const struct recovery_trace_options how = profile_how(l, state, crash);
	struct err ignored;
	int traced = recovery_trace(&how, &(struct recovery_consumer){PROFILING_CONSUMER(p)}, &ignored);
	int r = traced == TESTER_STOPPED ? traced : local_stage_state(l, state, err);

	if (traced != RECOVERY_TRACE_WHOLE || !p->exited)
		profile_close(p->profile);
	if (r == 0 && (traced == RECOVERY_TRACE_WHOLE || traced == RECOVERY_TRACE_LIMITED))
		return stage_view_refresh(&l->slots[0].view);
	return r;
}

static bool profile_is_due(struct local *l, const struct crash_context *crash)
{
	const struct checkpoints_moment now = {
		.setting = crash->command,
		.workers = recovery_jobs(l->recovery),
		.start = recovery_start_seconds(l->recovery),
		.left = tester_time_left(&l->tester),
	};

	return checkpoints_wants_profile(l->tester.options.checkpoints, &now);
}

int local_profile_if_due(struct local *l, const struct state *state, const struct crash_context *crash, struct err *err)
{
	struct checkpoints *k = l->tester.options.checkpoints;
	struct profiling p = {.view = &l->slots[0].view};
	double start;
	int r;

	if (!profile_is_due(l, crash))
		return 0;
	r = local_stage_state(l, state, err);
	if (r < 0)
		return r;
	start = clock_seconds();
	if (stage_view_refresh(&l->slots[0].view)) {
		p.profile = profile_new(p.view->files, p.view->count);
		r = profile_record(l, state, crash, &p, err);
	}
	if (r == 1)
		profile_end(p.profile, p.view->files);
	else
		profile_free(p.profile);
	checkpoints_learn(k, r == 1 ? p.profile : NULL, clock_seconds() - start);
	profiling_free(&p);
	return r == 1 ? 0 : r;
}
