/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_strategy.c - a strategy in one file (crash/strategy.h): the campaign reads, tests, judges, explains and reports
 * for it.
 *
 * At each fence, `newest` tests one state: only the newest pending store is on media. */
#include <stdlib.h>

#include "analysis/choice.h"
#include "engine.h"
#include "trace/op.h"

static int newest_moment(struct pass *pass, const struct event *ev, struct err *err)
{
	struct trial trial = {.which = TRIAL_NONE};
	const struct unit *const *units;
	bool *persisted;
	size_t count, newest = 0;

	if (!ev || ev->type != EVENT_SFENCE)
		return 0;
	units = model_pending(image_model(reading_image(pass->reading)), &count);
	if (!count)
		return 0;
	for (size_t i = 1; i < count; i++)
		newest = units[i]->event > units[newest]->event ? i : newest;
	persisted = mem_alloc(count);
	persisted[newest] = true;
	trial.persisted = campaign_block(pass->chooser->campaign, persisted, count);
	trial.context = ev->context;
	trial.op = (uint8_t)op_of(ev);
	free(persisted);
	return pass_try(pass, trial, err);
}

static const struct strategy newest = {.name = "newest", .moment = newest_moment};

static const struct strategy *const alone[] = {&newest}, *const after_inject[] = {&strategy_inject, &newest};

/* One state at each fence, and no other but those of the search for the cause. */
static void test_tests(void **state)
{
	struct engine e;

	engine_make(&e, *state, "a <a b <b | c <c d <d | $");
	e.fake.recover = b_needs_a;
	e.options.strategies = alone;
	e.options.strategy_count = 1;
	engine_run(&e);
	assert_int_equal(engine_submitted(&e), 2);
	assert_int_equal(engine_count(&e, "a0 b1 c0 d0"), 1);
	assert_int_equal(engine_count(&e, "a1 b1 c0 d1"), 1);
	assert_int_equal(e.campaign->found.tested, 2);
	assert_int_equal(e.campaign->found.failed, 1);
	engine_free(&e);
}

/* Its failure is explained like any other, and names it. */
static void test_finds(void **state)
{
	struct engine e;

	engine_make(&e, *state, "a <a b <b | $");
	e.fake.recover = b_needs_a;
	e.options.strategies = alone;
	e.options.strategy_count = 1;
	engine_run(&e);
	assert_int_equal(e.campaign->results.all.count, 1);
	const struct crash_sighting *s = &e.campaign->results.all.at[0].sighting;
	assert_int_equal(s->cause, CAUSE_UNORDERED);
	assert_int_equal(s->lost_count, 1);
	assert_int_equal(s->lost[0].context, engine_place(&e, "a"));
	assert_int_equal(s->point, engine_place(&e, "|"));
	assert_string_equal(s->point_op, "sfence");
	assert_int_equal(s->states, 1);
	expect_detectors(&e, 0, "newest");
	engine_free(&e);
}

/* Inject does not find it: in its states both are on media, or neither. */
static void test_finds_more(void **state)
{
	struct engine e;

	engine_make(&e, *state, "a <a b <b | $");
	e.fake.recover = b_needs_a;
	e.options.strategies = after_inject;
	e.options.strategy_count = 2;
	engine_run(&e);
	assert_int_equal(e.campaign->results.all.count, 1);
	expect_detectors(&e, 0, "newest");
	engine_free(&e);
}

/* Inject finds it at the flush of a, where b is guaranteed.  The state that `newest` tests has the same content, so it
 * is one result of both, and counts once. */
static void test_joins(void **state)
{
	struct engine e;

	engine_make(&e, *state, "a b <b | <a | $");
	e.fake.recover = b_needs_a;
	e.options.strategies = after_inject;
	e.options.strategy_count = 2;
	engine_run(&e);
	assert_int_equal(e.campaign->results.all.count, 1);
	assert_int_equal(engine_count(&e, "a0 b1"), 1);
	assert_int_equal(e.campaign->found.failed, 1);
	assert_int_equal(e.campaign->results.all.at[0].sighting.states, 1);
	expect_detectors(&e, 0, "inject,newest");
	engine_free(&e);
}

/* A strategy may want a layer, and may be unable to work without another. */
static void test_layers(void **state)
{
	static const struct strategy modest = {.name = "modest", .layers = BO_LAYER_CODE};
	static const struct strategy needy = {.name = "needy",
					      .layers = BO_LAYER_LOADS | BO_LAYER_CODE,
					      .needs = BO_LAYER_LOADS};
	struct choice choice = {.strategies = {&modest, &needy}, .strategy_count = 2};
	uint32_t lacks;

	(void)state;
	assert_int_equal(choice_layers(&choice), BO_LAYER_LOADS | BO_LAYER_CODE);
	assert_null(choice_lacks(&choice, BO_LAYER_LOADS, &lacks));
	assert_string_equal(choice_lacks(&choice, BO_LAYER_CODE, &lacks), "needy");
	assert_int_equal(lacks, BO_LAYER_LOADS);
	choice.strategy_count = 1;
	assert_null(choice_lacks(&choice, 0, &lacks));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		scratch_test(test_tests), scratch_test(test_finds),  scratch_test(test_finds_more),
		scratch_test(test_joins), scratch_test(test_layers),
	};

	return cmocka_run_group_tests_name("strategy", tests, NULL, NULL);
}
