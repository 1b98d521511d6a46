/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fake_tester.c - see fake_tester.h. */
#include "fake_tester.h"

#include <stdlib.h>
#include <string.h>

#include "scratch.h"

struct fake_tester {
	struct tester tester;
	struct fake *fake;
};

static bool is_interrupted;

bool fake_interrupted(void)
{
	return is_interrupted;
}

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

static struct outcome recovery_fake(struct tester *t, struct fake_run run)
{
	struct fake *fake = fake_of(t);

	run.end = fake->recover(fake->arg, run.pool, run.patience);
	vec_push(&fake->runs, run);
	return (struct outcome){.kind = run.end.kind, .value = run.end.value, .mode = RECOVERY_FORK};
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
}

static void waiting_end_until(struct tester *t, size_t left, bool give_up)
{
	struct fake *fake = fake_of(t);

	while (fake->waiting.count > left)
		waiting_end(t, fake->last_first ? fake->waiting.count - 1 : 0, give_up);
}

static bool is_stopped(struct fake *fake)
{
	if (fake->stop_after && fake->submitted >= fake->stop_after)
		is_interrupted = true;
	return is_interrupted || (fake->late_after && fake->submitted >= fake->late_after);
}

static int fake_submit(struct tester *t, const struct state *state, const struct tester_ticket *ticket, struct err *err)
{
	struct fake *fake = fake_of(t);
	struct fake_waiting waiting = {.ticket = *ticket};

	(void)err;
	if (is_stopped(fake))
		return TESTER_STOPPED;
	fake->submitted++;
	waiting_end_until(t, fake->workers ? fake->workers - 1 : 0, false);
	waiting.outcome = recovery_fake(t, (struct fake_run){.pool = state_pool(t->image, state),
							     .digest = state->digest,
							     .patience = 1,
							     .submitted = true});
	vec_push(&fake->waiting, waiting);
	return 0;
}

static int fake_drain(struct tester *t, struct err *err)
{
	(void)err;
	waiting_end_until(t, 0, is_interrupted);
	return is_interrupted ? TESTER_STOPPED : 0;
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

static int fake_stack(struct tester *t, const struct state *state, bool hangs, struct recovery_frame *frames,
		      size_t room, struct err *err)
{
	(void)state;
	(void)err;
	assert_true(room > 0);
	fake_of(t)->stacks++;
	frames[0] = (struct recovery_frame){.line = hangs ? 2 : 1};
	strcpy(frames[0].function, hangs ? "wait" : "check");
	return 1;
}

static struct tester_facts fake_facts(const struct tester *t)
{
	return (struct tester_facts){.mode = fake_of(t)->slow ? RECOVERY_NAMESPACE : RECOVERY_FORK, .opened = true};
}

static const char *fake_stranger(const struct tester *t, size_t index)
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
		.drain = fake_drain,
		.run = fake_run,
		.record = fake_record,
		.stack = fake_stack,
		.facts = fake_facts,
		.stranger = fake_stranger,
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

void fake_free(struct fake *fake)
{
	assert_int_equal(fake->waiting.count, 0);
	assert_int_equal(fake->opened, fake->closed);
	for (size_t i = 0; i < fake->runs.count; i++)
		free(fake->runs.at[i].pool);
	vec_free(&fake->runs);
	vec_free(&fake->waiting);
	is_interrupted = false;
}
