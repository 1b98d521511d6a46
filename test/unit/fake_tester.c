/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fake_tester.c - see fake_tester.h. */
#include "fake_tester.h"

#include <stdlib.h>
#include <string.h>

#include "leaf_states.h"
#include "ops/output.h"
#include "scratch.h"

struct fake_tester {
	struct tester tester;
	struct fake *fake;
};

static struct fake *fake_of(const struct tester *t)
{
	return ((const struct fake_tester *)t)->fake;
}

/* Recovery */

static uint8_t *state_pool(const struct image *image, const struct state *state)
{
	uint8_t *pool = mem_alloc(FAKE_POOL);

	for (uint32_t file = 1; file <= image_file_count(image); file++)
		if (image_exists(image, file)) {
			image_read(image, state, file, 0, pool, FAKE_POOL);
			break;
		}
	return pool;
}

static uint8_t *content_pool(const struct content *content)
{
	uint8_t *pool = mem_alloc(FAKE_POOL);

	for (uint32_t file = 1; content_knows(content, file); file++)
		if (content_path(content, file)) {
			content_read(content, file, 0, pool, FAKE_POOL);
			break;
		}
	return pool;
}

static uint8_t *input_pool(const struct tester *t, const struct tester_input *input)
{
	return input->state ? state_pool(t->image, input->state) : content_pool(input->content);
}

static bool is_pass(struct ending end)
{
	return ending_same(end, FAKE_PASS);
}

/* Rules 3 and 4 of crash/checkpoints.h.  Leaves are not repeated.  Does the outcome of a checkpoint count? */
static bool end_later(struct tester *t, struct fake_run *run)
{
	struct fake *fake = fake_of(t);
	struct ending start;

	if (!fake->later || !(run->submitted || run->lazy) || outcomes_are_distrusted(t->outcomes))
		return false;
	run->end = fake->later(fake->arg, run->pool, run->patience);
	if (run->lazy || is_pass(run->end))
		return true;
	start = fake->recover(fake->arg, run->pool, run->patience);
	if (!ending_same(run->end, start))
		outcomes_distrust(t->outcomes);
	return false;
}

static struct outcome recovery_fake(struct tester *t, struct fake_run run)
{
	struct fake *fake = fake_of(t);
	bool later = end_later(t, &run);

	if (!later)
		run.end = fake->recover(fake->arg, run.pool, run.patience);
	vec_push(&fake->runs, run);
	struct outcome outcome = {.ending = run.end,
				  .mode = RECOVERY_FORK,
				  .from = later,
				  .unconfirmed = later && run.submitted};
	const char *text = fake->print ? fake->print(fake->arg, run.pool, run.crash.command) : "";
	if (fake->print) {
		outcome.out.text = strdup(text);
		outcome.out.size = strlen(text);
	}
	if (t->options.recovery.output) {
		outcome.output = output_new(t->options.recovery.output);
		output_feed(outcome.output, text, strlen(text));
		output_end(outcome.output);
	}
	return outcome;
}

/* Several at a time */

static void waiting_end(struct tester *t, size_t index, bool give_up)
{
	struct fake *fake = fake_of(t);
	struct fake_waiting ended = fake->waiting.at[index];

	memmove(&fake->waiting.at[index], &fake->waiting.at[index + 1],
		(fake->waiting.count - index - 1) * sizeof(ended));
	fake->waiting.count--;
	if (give_up)
		tester_give_up(&ended.ticket);
	else
		tester_learn(t, &ended.ticket, &ended.outcome);
	outcome_free(&ended.outcome);
}

static void waiting_end_until(struct tester *t, size_t left, bool give_up)
{
	struct fake *fake = fake_of(t);

	while (fake->waiting.count > left)
		waiting_end(t, fake->last_first ? fake->waiting.count - 1 : 0, give_up);
}

static void submitted_count(struct tester *t)
{
	struct fake *fake = fake_of(t);

	fake->submitted++;
	if (fake->wrong_after && fake->submitted >= fake->wrong_after)
		outcomes_distrust(t->outcomes);
}

static bool is_stopped(struct fake *fake)
{
	if (fake->stop_after && fake->submitted >= fake->stop_after)
		fake->interrupted = true;
	return fake->interrupted || (fake->late_after && fake->submitted >= fake->late_after);
}

static int fake_submit(struct tester *t, const struct state *state, const struct tester_ticket *ticket, struct err *err)
{
	struct fake *fake = fake_of(t);
	struct fake_waiting waiting = {.ticket = *ticket};

	(void)err;
	if (is_stopped(fake))
		return TESTER_STOPPED;
	submitted_count(t);
	waiting_end_until(t, fake->workers ? fake->workers - 1 : 0, false);
	waiting.outcome = recovery_fake(t, (struct fake_run){.pool = state_pool(t->image, state),
							     .digest = state->digest,
							     .crash = ticket->crash,
							     .patience = 1,
							     .submitted = true});
	vec_push(&fake->waiting, waiting);
	return 0;
}

static int fake_drain(struct tester *t, struct err *err)
{
	(void)err;
	waiting_end_until(t, 0, fake_of(t)->interrupted);
	return fake_of(t)->interrupted ? TESTER_STOPPED : 0;
}

/* Line by line */

struct fake_tree {
	struct tester *tester;
	const struct lazy_options *options;
	const struct crash_context *crash;
	void *ticket;
	uint32_t *lines; /* of the choices, that recovery looks at */
	size_t count;
	uint8_t *taken;
	struct lazy_end end;
	bool enough;
};

/* Has the line the same bytes as with all of its units, or with none? */
static bool line_is_extreme(const struct fake_tree *tree, uint32_t line, bool all)
{
	const struct choices *c = tree->options->choices;
	const struct choices_line *l = &choices_lines(c)[line];
	uint8_t here[LINE_BYTES] = {0}, there[LINE_BYTES];
	uint8_t *extreme = mem_alloc(l->count);

	image_read(tree->tester->image, NULL, l->file, l->offset, here, sizeof(here));
	memcpy(there, here, sizeof(here));
	memset(extreme, all, l->count);
	choices_apply(c, line, tree->taken + l->first, here);
	choices_apply(c, line, extreme, there);
	free(extreme);
	return !memcmp(here, there, sizeof(here));
}

static bool leaf_is_extreme(const struct fake_tree *tree, bool all)
{
	for (size_t i = 0; i < tree->count; i++)
		if (!line_is_extreme(tree, tree->lines[i], all))
			return false;
	return true;
}

static struct outcome leaf_outcome(const struct fake_tree *tree)
{
	const struct choices *c = tree->options->choices;
	bool *persisted = mem_alloc(c->unit_count + 1);
	struct state *state;
	struct outcome outcome;

	for (uint32_t i = 0; i < c->unit_count; i++)
		persisted[choices_units(c)[i].pending] = tree->taken[i];
	assert_true(model_allows(image_model(tree->tester->image), persisted));
	state = state_new(tree->tester->image, persisted);
	outcome = recovery_fake(tree->tester, (struct fake_run){.pool = state_pool(tree->tester->image, state),
								.digest = state->digest,
								.crash = *tree->crash,
								.patience = 1,
								.lazy = true});
	state_free(state);
	free(persisted);
	return outcome;
}

/* Of the recovery that has just run. */
static const char *leaf_refused(const struct fake_tree *tree)
{
	const struct fake *fake = fake_of(tree->tester);

	return fake->refuses && fake->refuses(fake->arg, fake->runs.at[fake->runs.count - 1].pool) ? "as it is told"
												   : NULL;
}

/* Of the lines that recovery does not look at, as little as may be. */
static void rest_take(struct fake_tree *tree, struct choices_bounds bounds)
{
	const struct choices *c = tree->options->choices;

	for (uint32_t line = 0; line < c->line_count; line++) {
		bool decided = false;

		for (size_t i = 0; i < tree->count; i++)
			decided |= tree->lines[i] == line;
		if (!decided)
			choices_first(c, line, bounds, CHOICES_SETS, tree->taken + choices_lines(c)[line].first);
	}
}

static void leaf_tell(struct fake_tree *tree, struct choices_bounds bounds)
{
	const struct lazy_options *o = tree->options;
	struct lazy_leaf leaf = {.choices = o->choices,
				 .lines = tree->lines,
				 .count = tree->count,
				 .taken = tree->taken,
				 .bounds = bounds};
	struct outcome outcome;

	rest_take(tree, bounds);
	leaf.is_all = leaf_is_extreme(tree, true);
	leaf.is_none = leaf_is_extreme(tree, false);
	outcome = leaf_outcome(tree);
	leaf.outcome = &outcome;
	leaf.refused = leaf_refused(tree);
	tree->end.leaves++;
	tree->end.left_out -= leaf_states(&leaf);
	tree->enough = !o->leaf(o->arg, tree->ticket, &leaf) || tree->end.leaves == o->leaves_max;
	outcome_free(&outcome);
}

static void tree_grow(struct fake_tree *tree, size_t level, struct choices_bounds bounds)
{
	const struct choices *c = tree->options->choices;
	uint32_t line;
	uint8_t *flags;

	if (level == tree->count) {
		leaf_tell(tree, bounds);
		return;
	}
	line = tree->lines[level];
	flags = tree->taken + choices_lines(c)[line].first;
	if (tree->options->sequence == LAZY_MOST) {
		choices_most(c, line, bounds, flags);
		tree_grow(tree, level + 1, choices_decide(c, line, flags, bounds));
		return;
	}
	tree->end.traps++;
	for (bool more = choices_first(c, line, bounds, CHOICES_ONCE, flags); more && !tree->enough;
	     more = choices_next(c, line, bounds, CHOICES_ONCE, flags))
		tree_grow(tree, level + 1, choices_decide(c, line, flags, bounds));
}

static int fake_submit_lazy(struct tester *t, const struct tester_input *certain, void *ticket,
			    const struct lazy_options *options, struct err *err)
{
	struct fake *fake = fake_of(t);
	const struct choices *c = options->choices;
	struct fake_tree tree = {.tester = t, .options = options, .crash = certain->crash, .ticket = ticket};

	(void)err;
	if (is_stopped(fake))
		return TESTER_STOPPED;
	submitted_count(t);
	tree.lines = mem_alloc((c->line_count + 1) * sizeof(*tree.lines));
	tree.taken = mem_alloc(c->unit_count + 1);
	for (size_t i = 0; i < fake->read_count; i++)
		for (uint32_t line = 0; line < c->line_count; line++)
			if (choices_lines(c)[line].offset == fake->reads[i] * LINE_BYTES)
				tree.lines[tree.count++] = line;
	tree.end.left_out = choices_count(c, CHOICES_OPEN, NULL);
	tree_grow(&tree, 0, CHOICES_OPEN);
	if (!tree.enough)
		tree.end.left_out = 0; /* hidden alternatives have no leaf of their own */
	options->ended(options->arg, ticket, &tree.end);
	free(tree.lines);
	free(tree.taken);
	return 0;
}

/* One alone */

static int fake_run(struct tester *t, const struct tester_input *input, unsigned patience, struct outcome *outcome,
		    struct err *err)
{
	int r = fake_drain(t, err);

	if (r == 0)
		*outcome = recovery_fake(t, (struct fake_run){.pool = input_pool(t, input),
							      .digest = input->state ? input->state->digest
										     : (struct digest){0},
							      .crash = *input->crash,
							      .patience = patience,
							      .final = !input->state});
	return r;
}

static int fake_can_record(void *arg, struct err *err)
{
	const struct fake *fake = arg;

	return fake->record ? 0 : err_set(err, "a fake without a recorder");
}

static int fake_record(struct tester *t, const struct tester_input *input, const struct tester_recording *how,
		       struct err *err)
{
	struct fake *fake = fake_of(t);
	uint8_t *pool;
	int r = fake_can_record(fake, err);

	if (r == 0)
		r = fake_drain(t, err);
	if (r < 0)
		return r;
	pool = input_pool(t, input);
	fake->record(fake->arg, pool, how->dir);
	fake->recorded++;
	free(pool);
	return 0;
}

static int fake_start_recording(struct tester *t, const struct tester_input *input, const struct tester_recording *how,
				tester_heard *heard, void *arg, struct err *err)
{
	const struct outcome outcome = {.ending = {ENDING_EXIT, 0}};
	int r = fake_record(t, input, how, err);

	if (r == 0)
		heard(arg, &outcome);
	return r;
}

static int fake_stack(struct tester *t, const struct tester_input *input, bool hangs, struct recovery_frame *frames,
		      size_t room, struct err *err)
{
	(void)input;
	(void)err;
	assert_true(room > 0);
	fake_of(t)->stacks++;
	frames[0] = (struct recovery_frame){.line = hangs ? 2 : 1};
	strcpy(frames[0].function, hangs ? "wait" : "check");
	return 1;
}

static struct tester_facts fake_facts(const struct tester *t)
{
	const struct fake *fake = fake_of(t);

	return (struct tester_facts){.mode = fake->slow ? RECOVERY_NAMESPACE : RECOVERY_FORK,
				     .lazy = fake->reads,
				     .opened = true};
}

static const char *fake_foreign_file(const struct tester *t, size_t index)
{
	(void)t;
	(void)index;
	return NULL;
}

static void fake_close(struct tester *t)
{
	waiting_end_until(t, 0, true);
	fake_of(t)->closed++;
	free(t);
}

static int fake_open(struct tester **tester, const struct tester *common, void *fake, struct err *err)
{
	static const struct tester_ops ops = {
		.submit = fake_submit,
		.submit_lazy = fake_submit_lazy,
		.drain = fake_drain,
		.run = fake_run,
		.record = fake_record,
		.start_recording = fake_start_recording,
		.stack = fake_stack,
		.facts = fake_facts,
		.foreign_file = fake_foreign_file,
		.close = fake_close,
	};
	struct fake_tester *t = mem_alloc(sizeof(*t));

	(void)err;
	*t = (struct fake_tester){.tester = *common, .fake = fake};
	t->tester.ops = &ops;
	t->fake->opened++;
	*tester = &t->tester;
	return 0;
}

struct tester_maker fake_maker(struct fake *fake)
{
	return (struct tester_maker){.open = fake_open, .can_record = fake_can_record, .arg = fake};
}

static bool is_interrupted(void *arg)
{
	const struct fake *fake = arg;

	return fake->interrupted;
}

struct stop fake_stop(struct fake *fake)
{
	return (struct stop){.asked = is_interrupted, .arg = fake};
}

void fake_free(struct fake *fake)
{
	assert_int_equal(fake->waiting.count, 0);
	assert_int_equal(fake->opened, fake->closed);
	for (size_t i = 0; i < fake->runs.count; i++)
		free(fake->runs.at[i].pool);
	vec_free(&fake->runs);
	vec_free(&fake->waiting);
	fake->interrupted = false;
}
