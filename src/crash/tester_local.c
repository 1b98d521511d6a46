/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tester_local.c - a tester with workers on this machine: run/recovery.h, and a stage (image/stage.h) for each worker.
 * The stages account for the memory used.  tester_local_tree.c has the runs on undecided lines, tester_local_record.c those
 * under the recorder. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "crash/tester_local_in.h"

static const struct local *local_of_const(const struct tester *tester)
{
	return (const struct local *)tester;
}

/* Several states at a time */

struct tester_ticket slot_clear(struct slot *slot)
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

struct checkpoints_walk slot_walked(const struct local *l, const struct slot *slot)
{
	unsigned worker = (unsigned)(slot - l->slots);
	struct checkpoints_walk walk = {.whole = recovery_walked_all(l->recovery, worker)};

	walk.events = recovery_walked(l->recovery, worker, &walk.count);
	return walk;
}

void local_compare(struct local *l, const struct outcome *outcome, const struct outcome *start)
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
		local_compare(l, &slot->doubted, outcome);
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

int local_fill(struct local *l, const struct state *state, const struct crash_context *crash, struct err *err)
{
	int worker = worker_find(l, err);

	if (worker < 0)
		return local_result(worker);
	recovery_set(l->recovery, (unsigned)worker, crash->command);
	return stage_load(l->slots[worker].stage, state, err) < 0 ? -1 : worker;
}

/* A state that is judged may begin at a checkpoint: if that proves wrong, it is run again. */
static bool may_shorten(const struct local *l, const struct tester_ticket *ticket)
{
	return l->tester.options.checkpoints && !ticket->heard && recovery_mode(l->recovery) == RECOVERY_FORK;
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
		recovery_walk(l->recovery, worker, choice.plan, choice.stops);
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

static int local_submit(struct tester *t, const struct state *state, const struct tester_ticket *ticket,
			struct err *err)
{
	struct local *l = local_of(t);
	int r = may_shorten(l, ticket) ? local_profile_if_due(l, state, &ticket->crash, err) : 0;
	int worker = r < 0 ? r : local_fill(l, state, &ticket->crash, err);

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

int local_drain(struct tester *t, struct err *err)
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
	return local_result(r);
}

/* One alone, on the first worker */

/* Drain first: worker 0 may still be using its stage, or have something to confirm. */
int local_stage_state(struct local *l, const struct state *state, struct err *err)
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
	int r = local_stage_state(l, empty, err);

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

int local_stage_input(struct local *l, const struct tester_input *input, struct err *err)
{
	int r = local_drain(&l->tester, err);

	if (r < 0)
		return r;
	recovery_set(l->recovery, 0, input->crash->command);
	return input->state ? local_stage_state(l, input->state, err) : content_stage(l, input->content, err);
}

static int local_run(struct tester *t, const struct tester_input *input, unsigned patience, struct outcome *outcome,
		     struct err *err)
{
	struct local *l = local_of(t);
	int r = local_stage_input(l, input, err);

	if (r < 0)
		return r;
	l->alone = input->crash;
	r = recovery_run(l->recovery, 0, patience, outcome, err);
	if (r < 0 || outcome->touched)
		stage_distrust(l->slots[0].stage);
	return local_result(r);
}

static int local_stack(struct tester *t, const struct tester_input *input, bool hangs, struct recovery_frame *frames,
		       size_t room, struct err *err)
{
	struct local *l = local_of(t);
	int r = local_stage_input(l, input, err);

	if (r < 0)
		return r;
	r = recovery_stack(l->recovery, 0, hangs, frames, room, err);
	stage_distrust(l->slots[0].stage);
	return local_result(r);
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
