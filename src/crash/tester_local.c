/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tester_local.c - a tester with workers on this machine: run/recovery.h, and a stage (image/stage.h) for each worker.
 * The stages account for the memory used. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "blackout/trace_format.h"
#include "crash/checkpoints.h"
#include "crash/profiling.h"
#include "crash/tester.h"
#include "image/stage.h"
#include "run/recorder.h"
#include "run/shell.h"

enum {
	PATIENCE_RECORDING = 50,  /* times the time limit */
	PROFILE_PATIENCE = 3,     /* likewise, for a recording that only saves time */
	PROFILE_MOST = 256 << 20, /* bytes of such a recording */
	TREE_WALKS_MAX = 2,       /* before one run on undecided lines */
};

/* A worker, and the ticket of the state that it runs. */
struct slot {
	struct stage *stage;
	struct tester_ticket ticket;
	struct words argv, environment; /* of the recorder, if it runs in place of recovery */
	/* checkpoints.h */
	struct stage_view view;
	struct checkpoints_worker way;
	struct outcome doubted;   /* must be confirmed by a run from the start, */
	bool doubts;              /* which is not started yet, */
	bool confirms;            /* or under way */
	struct outcome *practice; /* not NULL: the run is only for the checkpoints, and its outcome goes there */
	double tree_since; /* when its last run on undecided lines began, if that was at the start; 0: none did */
};

struct local {
	struct tester tester;
	const struct crash_context *alone; /* of the run that has the tester to itself */
	struct staging *staging;
	struct recovery *recovery;
	struct slot *slots;
	unsigned views; /* that are open: those of the first slots */
};

static struct local *local_of(struct tester *tester)
{
	return (struct local *)tester;
}

static const struct local *local_of_const(const struct tester *tester)
{
	return (const struct local *)tester;
}

/* Translate a status of recovery.h to tester.h. */
static int result_of(int r)
{
	return r == RECOVERY_INTERRUPTED ? TESTER_STOPPED : r;
}

/* Several states at a time */

/* The slot has nothing to do any more; returns the ticket of what it did. */
static struct tester_ticket slot_clear(struct slot *slot)
{
	struct tester_ticket of = slot->ticket;

	words_free(&slot->argv);
	words_free(&slot->environment);
	outcome_free(&slot->doubted);
	slot->doubts = slot->confirms = false;
	slot->ticket = (struct tester_ticket){0};
	return of;
}

static bool run_passed(void *arg, void *ticket, const struct outcome *outcome)
{
	const struct local *l = arg;
	const struct slot *slot = ticket;
	const struct oracles *oracles = outcomes_oracles(l->tester.outcomes);

	return verdict_passed(oracles_judge(oracles, outcome, slot ? &slot->ticket.crash : l->alone));
}

static struct checkpoints_walk slot_walked(const struct local *l, const struct slot *slot)
{
	unsigned worker = (unsigned)(slot - l->slots);
	struct checkpoints_walk walk = {.whole = recovery_walked_all(l->recovery, worker)};

	walk.events = recovery_walked(l->recovery, worker, &walk.count);
	return walk;
}

static void outcomes_compare(struct local *l, const struct outcome *outcome, const struct outcome *start)
{
	struct checkpoints *k = l->tester.options.checkpoints;

	checkpoints_compare(k, outcome, start);
	if (checkpoints_are_off(k))
		outcomes_distrust(l->tester.outcomes);
}

/* Does the outcome wait until a run from the start has confirmed it? */
static bool outcome_waits(struct local *l, struct slot *slot, const struct outcome *outcome)
{
	struct checkpoints *k = l->tester.options.checkpoints;
	struct checkpoints_walk walk;

	if (!k)
		return false;
	if (slot->confirms) {
		outcomes_compare(l, &slot->doubted, outcome);
		return false;
	}
	walk = slot_walked(l, slot);
	checkpoints_ran(k, &slot->way, outcome, &walk);
	if (!checkpoints_doubt(k, &slot->way, crash_run(slot->ticket.name, &slot->ticket.crash),
			       run_passed(l, slot, outcome)))
		return false;
	outcome_copy(&slot->doubted, outcome);
	return slot->doubts = true;
}

/* The outcome counts, from wherever the run began. */
static void outcome_tell(struct tester *t, const struct slot *slot, const struct tester_ticket *ticket,
			 const struct outcome *outcome, bool confirmed)
{
	struct outcome told = *outcome;

	told.unconfirmed = slot->way.shortened && !confirmed;
	tester_learn(t, ticket, &told);
}

static void slot_done(void *arg, void *ticket, const struct outcome *outcome)
{
	struct slot *slot = ticket;
	bool recorded = slot->argv.count, confirmed = slot->confirms;
	struct tester_ticket of;

	if (outcome->touched || recorded)
		stage_distrust(slot->stage);
	if (slot->practice) {
		outcome_copy(slot->practice, outcome);
		return;
	}
	if (!recorded && outcome_waits(arg, slot, outcome))
		return;
	of = slot_clear(slot);
	if (recorded)
		of.heard(of.arg, outcome);
	else
		outcome_tell(arg, slot, &of, outcome, confirmed);
}

static void slots_give_up(struct local *l)
{
	for (unsigned w = 0; l->slots && w < recovery_jobs(l->recovery); w++) {
		struct tester_ticket ticket = slot_clear(&l->slots[w]);

		tester_give_up(&ticket);
	}
}

/* Run recovery from the start on the state that the worker's stage still has. */
static int slot_confirm(struct local *l, unsigned worker, struct err *err)
{
	struct slot *slot = &l->slots[worker];

	slot->doubts = false;
	slot->confirms = true;
	return recovery_start(l->recovery, worker, slot, err);
}

/* Wait for a worker that has nothing to do, and nothing to confirm. */
static int worker_find(struct local *l, struct err *err)
{
	int worker;

	while ((worker = recovery_idle(l->recovery, err)) >= 0 && l->slots[worker].doubts)
		if (slot_confirm(l, (unsigned)worker, err) < 0)
			return -1;
	return worker;
}

/* Load the state into the stage of an idle worker, and return the worker's number. */
static int worker_fill(struct local *l, const struct state *state, const struct crash_context *crash, struct err *err)
{
	int worker = worker_find(l, err);

	if (worker < 0)
		return result_of(worker);
	recovery_set(l->recovery, (unsigned)worker, crash->command);
	return stage_load(l->slots[worker].stage, state, err) < 0 ? -1 : worker;
}

/* A state whose outcome nobody waits for may begin at a checkpoint: if that proves wrong, it is run again. */
static bool may_shorten(const struct local *l, const struct tester_ticket *ticket)
{
	return l->tester.options.checkpoints && !ticket->told && !ticket->heard &&
	       recovery_mode(l->recovery) == RECOVERY_FORK;
}

/* Choose how the worker runs recovery.  True: it need not, the outcome is known. */
static bool slot_choose(struct local *l, unsigned worker)
{
	struct slot *slot = &l->slots[worker];
	struct checkpoints *k = l->tester.options.checkpoints;
	struct checkpoints_choice choice;

	slot->way = (struct checkpoints_worker){.route = slot->way.route,
						.planned = slot->way.planned,
						.walks = slot->way.walks};
	if (!may_shorten(l, &slot->ticket) || !stage_view_refresh(&slot->view))
		return false;
	choice = checkpoints_choose(k, &slot->way, &slot->view, recovery_checkpoints(l->recovery, worker));
	if (choice.walks)
		recovery_walk(l->recovery, worker, choice.plan);
	if (choice.from) {
		recovery_from(l->recovery, worker, choice.from);
		slot->way.skipped = recovery_checkpoint_seconds(l->recovery, worker, choice.from);
	}
	if (!choice.outcome)
		return false;
	if (checkpoints_doubt(k, &slot->way, crash_run(slot->ticket.name, &slot->ticket.crash),
			      run_passed(l, slot, choice.outcome))) {
		outcome_copy(&slot->doubted, choice.outcome);
		slot->confirms = true;
		return false;
	}
	struct tester_ticket ticket = slot_clear(slot);
	outcome_tell(&l->tester, slot, &ticket, choice.outcome, false);
	return true;
}

static int profile_if_due(struct local *l, const struct state *state, const struct crash_context *crash,
			  struct err *err);

static int local_submit(struct tester *t, const struct state *state, const struct tester_ticket *ticket,
			struct err *err)
{
	struct local *l = local_of(t);
	int r = may_shorten(l, ticket) ? profile_if_due(l, state, &ticket->crash, err) : 0;
	int worker = r < 0 ? r : worker_fill(l, state, &ticket->crash, err);

	if (worker < 0)
		return worker;
	l->slots[worker].ticket = *ticket;
	if (slot_choose(l, (unsigned)worker))
		return 0;
	r = recovery_start(l->recovery, (unsigned)worker, &l->slots[worker], err);
	if (r < 0)
		slot_clear(&l->slots[worker]);
	return r;
}

static int local_drain(struct tester *t, struct err *err)
{
	struct local *l = local_of(t);
	int r = recovery_drain(l->recovery, err);

	for (unsigned w = 0; r == 0 && w < recovery_jobs(l->recovery); w++) {
		if (!l->slots[w].doubts)
			continue;
		r = slot_confirm(l, w, err);
		if (r == 0)
			r = recovery_drain(l->recovery, err);
	}
	if (r == RECOVERY_INTERRUPTED)
		slots_give_up(l);
	return result_of(r);
}

/* Undecided lines */

static bool range_is_undecided(void *arg, const struct profile_range *range)
{
	const struct lazy_options *o = arg;
	uint32_t file = o->files[range->file], line;

	if (file == CHOICES_NONE)
		return false;
	line = choices_find_from(o->choices, file, range->offset / LINE_BYTES * LINE_BYTES);
	return line < o->choices->line_count && choices_lines(o->choices)[line].file == file &&
	       choices_lines(o->choices)[line].offset < range->offset + range->size;
}

/* Run recovery on what the worker's stage has, for its checkpoints only. */
static int slot_practice(struct local *l, unsigned worker, struct outcome *outcome, struct err *err)
{
	struct slot *slot = &l->slots[worker];
	int r;

	*outcome = (struct outcome){0};
	slot->practice = outcome;
	r = recovery_start(l->recovery, worker, slot, err);
	if (r == 0)
		r = local_drain(&l->tester, err);
	slot->practice = NULL;
	return r;
}

/* A run from the start that walks, and if that leaves checkpoints, one from the last of them: is it the same? */
static int tree_walk(struct local *l, unsigned worker, const struct checkpoint_plan *plan, struct err *err)
{
	struct checkpoints *k = l->tester.options.checkpoints;
	struct slot *slot = &l->slots[worker];
	struct outcome start, later;
	struct checkpoints_walk walk;
	int r;

	recovery_walk(l->recovery, worker, plan);
	r = slot_practice(l, worker, &start, err);
	walk = slot_walked(l, slot);
	if (r == 0)
		checkpoints_ran(k, &slot->way, &start, &walk);
	if (r == 0 && recovery_checkpoints(l->recovery, worker)) {
		recovery_from(l->recovery, worker, recovery_checkpoints(l->recovery, worker));
		r = slot_practice(l, worker, &later, err);
		if (r == 0)
			outcomes_compare(l, &later, &start);
		outcome_free(&later);
	}
	outcome_free(&start);
	return r;
}

/* The checkpoint where the tree begins; 0: the start. -1, TESTER_STOPPED. */
static int tree_from(struct local *l, unsigned worker, const struct lazy_options *o, struct err *err)
{
	struct slot *slot = &l->slots[worker];
	struct checkpoints_choice choice = {.walks = true};

	for (int round = 0; choice.walks; round++) {
		if (round == TREE_WALKS_MAX || !stage_view_refresh(&slot->view))
			return 0;
		choice = checkpoints_choose_tree(l->tester.options.checkpoints, &slot->way, &slot->view,
						 recovery_checkpoints(l->recovery, worker), range_is_undecided,
						 (void *)o);
		int r = choice.walks ? tree_walk(l, worker, choice.plan, err) : 0;
		if (r < 0)
			return r;
	}
	return (int)choice.from;
}

/* Where the run begins is a wish for it; see run/checkpoint.h. */
static int tree_begin(struct local *l, unsigned worker, const struct tester_input *certain,
		      const struct lazy_options *o, struct err *err)
{
	struct checkpoints *k = l->tester.options.checkpoints;
	struct slot *slot = &l->slots[worker];
	double now = clock_seconds(), since = slot->tree_since ? now - slot->tree_since : 0;
	int from = 0;

	slot->tree_since = 0;
	if (!k || recovery_mode(l->recovery) != RECOVERY_FORK)
		return 0;
	if (!checkpoints_tree_is_sampled(k, crash_run(certain->state->digest, certain->crash)))
		from = tree_from(l, worker, o, err);
	if (from < 0)
		return from;
	checkpoints_tree_begins(k, &slot->way, from > 0, since);
	if (from)
		recovery_from(l->recovery, worker, (unsigned)from);
	else
		slot->tree_since = clock_seconds();
	return 0;
}

static int local_submit_lazy(struct tester *t, const struct tester_input *certain, void *ticket,
			     const struct lazy_options *options, struct err *err)
{
	struct local *l = local_of(t);
	bool may = l->tester.options.checkpoints && recovery_mode(l->recovery) == RECOVERY_FORK;
	int r = may ? profile_if_due(l, certain->state, certain->crash, err) : 0;
	int worker = r < 0 ? r : worker_fill(l, certain->state, certain->crash, err);

	r = worker < 0 ? worker : tree_begin(l, (unsigned)worker, certain, options, err);
	return r < 0 ? r : recovery_start_lazy(l->recovery, (unsigned)worker, ticket, options, err);
}

/* One alone, on the first worker */

/* Drain first: worker 0 may still be using its stage, or have something to confirm. */
static int state_stage(struct local *l, const struct state *state, struct err *err)
{
	int r = local_drain(&l->tester, err);

	return r < 0 ? r : stage_load(l->slots[0].stage, state, err);
}

static int file_stage(const struct local *l, const struct content *content, uint32_t file, struct err *err)
{
	const char *path = content_path(content, file);
	char staged[PATH_MAX];
	int fd, r;

	if (!path || !stage_path(l->slots[0].stage, path, staged, sizeof(staged)))
		return 0;
	fd = open(staged, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (fd < 0)
		return err_sys(err, "cannot create %s", staged);
	r = content_write(content, file, fd, err);
	close(fd);
	return r;
}

static bool content_has(const struct content *content, const char *path)
{
	for (uint32_t file = 1; content_knows(content, file); file++)
		if (content_path(content, file) && !strcmp(content_path(content, file), path))
			return true;
	return false;
}

/* Files of the image that the content does not have: the program made them later. */
static int files_unstage(struct local *l, const struct content *content, struct err *err)
{
	const struct image *image = l->tester.image;
	char path[PATH_MAX];

	for (uint32_t file = 1; file <= image_file_count(image); file++)
		if (image_exists(image, file) && !content_has(content, image_path(image, file)) &&
		    stage_path(l->slots[0].stage, image_path(image, file), path, sizeof(path)) && unlink(path) < 0 &&
		    errno != ENOENT)
			return err_sys(err, "cannot remove %s", path);
	return 0;
}

static int content_stage(struct local *l, const struct content *content, struct err *err)
{
	struct state *empty = state_none(l->tester.image);
	int r = state_stage(l, empty, err);

	state_free(empty);
	if (r < 0)
		return r;
	/* The stage does not know about the files that are put there directly. */
	stage_distrust(l->slots[0].stage);
	if (files_unstage(l, content, err) < 0)
		return -1;
	for (uint32_t file = 1; content_knows(content, file); file++)
		if (file_stage(l, content, file, err) < 0)
			return -1;
	return 0;
}

static int input_stage(struct local *l, const struct tester_input *input, struct err *err)
{
	int r = local_drain(&l->tester, err);

	if (r < 0)
		return r;
	recovery_set(l->recovery, 0, input->crash->command);
	return input->state ? state_stage(l, input->state, err) : content_stage(l, input->content, err);
}

static int local_run(struct tester *t, const struct tester_input *input, unsigned patience, struct outcome *outcome,
		     struct err *err)
{
	struct local *l = local_of(t);
	int r = input_stage(l, input, err);

	if (r < 0)
		return r;
	l->alone = input->crash;
	r = recovery_run(l->recovery, 0, patience, outcome, err);
	if (r < 0 || outcome->touched)
		stage_distrust(l->slots[0].stage);
	return result_of(r);
}

/* Recording */

static int recorder_find(struct recorder *recorder, struct err *err)
{
	return recorder_find_valgrind(recorder, err) < 0 ? -1 : recorder_find_tool(recorder, err);
}

static int local_can_record(void *arg, struct err *err)
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

static unsigned recording_patience(const struct tester_recording *how)
{
	return how->patience ? how->patience : PATIENCE_RECORDING;
}

/* Run the recorder in place of recovery, on real files at the original paths. */
static int local_record(struct tester *t, const struct tester_input *input, const struct tester_recording *how,
			struct err *err)
{
	struct local *l = local_of(t);
	struct words argv = {0}, environment = {0};
	struct outcome outcome;
	int r = input_stage(l, input, err);

	if (r < 0)
		return r;
	r = recorder_words(l, 0, how, &argv, &environment, err);
	if (r == 0) {
		r = recovery_other(l->recovery, 0, argv.items, environment.items, recording_patience(how), &outcome,
				   err);
		stage_distrust(l->slots[0].stage);
		if (r == 0)
			outcome_free(&outcome);
	}
	words_free(&argv);
	words_free(&environment);
	return result_of(r);
}

static int local_start_recording(struct tester *t, const struct tester_input *input, const struct tester_recording *how,
				 tester_heard *heard, void *arg, struct err *err)
{
	struct local *l = local_of(t);
	int worker = worker_fill(l, input->state, input->crash, err), r;
	struct slot *slot;

	if (worker < 0)
		return worker;
	slot = &l->slots[worker];
	r = recorder_words(l, (unsigned)worker, how, &slot->argv, &slot->environment, err);
	if (r == 0) {
		slot->ticket = (struct tester_ticket){.crash = *input->crash, .heard = heard, .arg = arg};
		r = recovery_start_other(l->recovery, (unsigned)worker, slot->argv.items, slot->environment.items,
					 recording_patience(how), slot, err);
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
	int r = traced == TESTER_STOPPED ? traced : state_stage(l, state, err);

	if (traced != RECOVERY_TRACE_WHOLE || !p->exited)
		profile_close(p->profile);
	if (r == 0 && (traced == RECOVERY_TRACE_WHOLE || traced == RECOVERY_TRACE_LIMITED))
		return stage_view_refresh(&l->slots[0].view);
	return r;
}

/* If recoveries have taken long enough, find out what they read.  0 also if that was in vain. */
static int profile_if_due(struct local *l, const struct state *state, const struct crash_context *crash,
			  struct err *err)
{
	struct checkpoints *k = l->tester.options.checkpoints;
	struct profiling p = {.view = &l->slots[0].view};
	double start = clock_seconds();
	int r;

	if (!checkpoints_wants_profile(k, crash->command, tester_time_left(&l->tester)))
		return 0;
	r = state_stage(l, state, err);
	if (r < 0)
		return r;
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

static int local_stack(struct tester *t, const struct tester_input *input, bool hangs, struct recovery_frame *frames,
		       size_t room, struct err *err)
{
	struct local *l = local_of(t);
	int r = input_stage(l, input, err);

	if (r < 0)
		return r;
	r = recovery_stack(l->recovery, 0, hangs, frames, room, err);
	stage_distrust(l->slots[0].stage);
	return result_of(r);
}

/* Facts */

static struct tester_facts local_facts(const struct tester *t)
{
	const struct recovery *recovery = local_of_const(t)->recovery;

	return (struct tester_facts){
		.mode = recovery_mode(recovery),
		.reason = recovery_reason(recovery),
		.lazy = recovery_mode(recovery) == RECOVERY_FORK,
		.opened = recovery_opened(recovery),
		.unopened = recovery_unopened(recovery),
	};
}

static const char *local_foreign_file(const struct tester *t, size_t index)
{
	return recovery_foreign_file(local_of_const(t)->recovery, index);
}

/* Opening and closing */

static void local_close(struct tester *t)
{
	struct local *l = local_of(t);

	if (l->recovery) {
		slots_give_up(l);
		recovery_free(l->recovery);
	}
	for (unsigned w = 0; l->slots && w < l->views; w++)
		stage_view_close(&l->slots[w].view);
	if (l->staging)
		staging_close(l->staging);
	free(l->slots);
	free(l);
}

static int stages_make(struct local *l, struct err *err)
{
	unsigned jobs = recovery_jobs(l->recovery);

	if (staging_open(&l->staging, l->tester.options.recovery.origin, l->tester.options.fallback, jobs, err) < 0)
		return -1;
	l->slots = mem_alloc(jobs * sizeof(*l->slots));
	for (unsigned w = 0; w < jobs; w++) {
		l->slots[w].stage = stage_new(l->staging, l->tester.image, err);
		if (!l->slots[w].stage)
			return -1;
		recovery_stage(l->recovery, w, stage_dir(l->slots[w].stage));
		stage_view_open(&l->slots[w].view, l->slots[w].stage, l->tester.options.recovery.origin);
		l->views++;
	}
	return 0;
}

static int local_open(struct tester **tester, const struct tester *common, void *arg, struct err *err)
{
	static const struct tester_ops ops = {
		.submit = local_submit,
		.submit_lazy = local_submit_lazy,
		.drain = local_drain,
		.run = local_run,
		.record = local_record,
		.start_recording = local_start_recording,
		.stack = local_stack,
		.facts = local_facts,
		.foreign_file = local_foreign_file,
		.close = local_close,
	};
	struct local *l = mem_alloc(sizeof(*l));

	(void)arg;
	l->tester = *common;
	l->tester.ops = &ops;
	l->tester.options.recovery.done = slot_done;
	l->tester.options.recovery.passed = run_passed;
	l->tester.options.recovery.arg = &l->tester;
	if (recovery_new(&l->recovery, &l->tester.options.recovery, err) < 0 || stages_make(l, err) < 0) {
		local_close(&l->tester);
		return -1;
	}
	*tester = &l->tester;
	return 0;
}

const struct tester_maker tester_local = {.open = local_open, .can_record = local_can_record};
