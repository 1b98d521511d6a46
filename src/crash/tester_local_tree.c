/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tester_local_tree.c - runs on undecided lines (run/lazy.h), and the checkpoints where they begin. */
#include "base/clock.h"
#include "crash/tester_local_in.h"

enum { TREE_WALKS_MAX = 2 /* before one run */ };

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
static int tree_walk(struct local *l, unsigned worker, const struct checkpoints_choice *choice, struct err *err)
{
	struct checkpoints *k = l->tester.options.checkpoints;
	struct slot *slot = &l->slots[worker];
	struct outcome start, later;
	struct checkpoints_walk walk;
	int r;

	recovery_walk(l->recovery, worker, choice->plan, choice->stops);
	r = slot_practice(l, worker, &start, err);
	walk = slot_walked(l, slot);
	if (r == 0)
		checkpoints_ran(k, &slot->way, &start, &walk);
	if (r == 0 && recovery_checkpoints(l->recovery, worker)) {
		recovery_from(l->recovery, worker, recovery_checkpoints(l->recovery, worker));
		r = slot_practice(l, worker, &later, err);
		if (r == 0)
			local_compare(l, &later, &start);
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
		int r = choice.walks ? tree_walk(l, worker, &choice, err) : 0;
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

int local_submit_lazy(struct tester *t, const struct tester_input *certain, void *ticket,
		      const struct lazy_options *options, struct err *err)
{
	struct local *l = local_of(t);
	bool may = l->tester.options.checkpoints && recovery_mode(l->recovery) == RECOVERY_FORK;
	int r = may ? local_profile_if_due(l, certain->state, certain->crash, err) : 0;
	int worker = r < 0 ? r : local_fill(l, certain->state, certain->crash, err);

	r = worker < 0 ? worker : tree_begin(l, (unsigned)worker, certain, options, err);
	return r < 0 ? r : recovery_start_lazy(l->recovery, (unsigned)worker, ticket, options, err);
}
