/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_violate.c - the strategy that violates likely invariants, with invariants that the test makes up: which states it
 * tests, and what it says about those that fail.
 *
 * This file has functions of invariants/invariants.h of its own, so those of the library are not linked. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/map.h"
#include "engine.h"
#include "violate/violate_in.h"

/* Made-up invariants */

struct invariants {
	uint64_t events;
};

/* "a<b RO3": word a before word b; "a&b": both are guardians. */
static const struct engine *program;
static const char *rules;
static uint64_t events_fed, pairs_asked;
static enum invariant_scope scope; /* of all of them */
static useconds_t inference_pause; /* before the first event */

struct invariants *invariants_new(void)
{
	return mem_alloc(sizeof(struct invariants));
}

void invariants_free(struct invariants *inv)
{
	events_fed = inv->events;
	free(inv);
}

void invariants_begin(struct invariants *inv, const struct trace *trace)
{
	(void)inv;
	(void)trace;
}

void invariants_event(struct invariants *inv, const struct event *ev)
{
	(void)ev;
	if (!inv->events++)
		usleep(inference_pause);
}

const char *invariant_rule_name(enum invariant_rule rule)
{
	static const char *const names[] = {
#define X(name) #name,
		INVARIANT_RULES(X)
#undef X
	};

	return names[rule];
}

struct store_place invariants_place(struct invariants *inv, const struct event *ev)
{
	(void)inv;
	return (struct store_place){.file = ev->file, .site = ev->context, .offset = ev->offset, .size = ev->size};
}

static enum invariant_rule rule_find(const char *name)
{
	for (enum invariant_rule rule = 0; rule < INVARIANT_RULE_COUNT; rule++)
		if (!strcmp(invariant_rule_name(rule), name))
			return rule;
	fail_msg("%s is no rule", name);
	return 0;
}

size_t invariants_orders(const struct invariants *inv, const struct store_place *a, const struct store_place *b,
			 struct invariant_match matches[INVARIANT_ORDERINGS])
{
	char first[3], second[3], rule[4];
	int used;

	(void)inv;
	pairs_asked++;
	for (const char *p = rules; sscanf(p, " %2[^<& ]<%2s %3s%n", first, second, rule, &used) == 3; p += used)
		if (engine_place(program, first) == a->site && engine_place(program, second) == b->site) {
			matches[0] = (struct invariant_match){.rule = rule_find(rule), .scope = scope, .seen = 7};
			return 1;
		}
	return 0;
}

bool invariants_guardian(const struct invariants *inv, const struct store_place *place, struct invariant_match *match)
{
	char first[3], second[3];

	(void)inv;
	if (sscanf(rules, " %2[^<& ]&%2s", first, second) != 2)
		return false;
	*match = (struct invariant_match){.rule = INVARIANT_RA1, .seen = 3};
	return engine_place(program, first) == place->site || engine_place(program, second) == place->site;
}

struct invariants_figures invariants_figures(const struct invariants *inv)
{
	(void)inv;
	return (struct invariants_figures){.ordering = 5, .atomicity = 2};
}

/* Running */

static const struct strategy *const alone[] = {&strategy_invariants},
				    *const after_inject[] = {&strategy_inject, &strategy_invariants},
				    *const before_explore[] = {&strategy_invariants, &strategy_explore};

static void violate_make(struct engine *e, const char *dir, const char *words, const char *invariants,
			 fake_recovery *recover)
{
	engine_make(e, dir, words);
	program = e;
	rules = invariants;
	e->fake.recover = recover;
	e->options.strategies = alone;
	e->options.strategy_count = 1;
	e->options.prune_segments = true;
}

static struct findings_stats stats_of(const struct engine *e)
{
	struct findings *f = findings_new();
	size_t last = e->options.strategy_count - 1;
	struct findings_stats stats;

	for (size_t i = 0; i <= last; i++)
		if (e->options.strategies[i] == &strategy_invariants)
			strategy_invariants.figures(&e->campaign->choosers[i], f);
	stats = f->stats;
	findings_free(f);
	return stats;
}

/* The only result, with what the strategy tells about it. */
static struct crash_sighting result_only(const struct engine *e)
{
	static const char *names[STRATEGY_SET_MAX];

	assert_int_equal(e->campaign->results.all.count, 1);
	return result_sighting(e->campaign, &e->campaign->results.all.at[0], NULL, names);
}

static void expect_reason(const struct engine *e, const char *rule, const char *first, const char *second)
{
	struct crash_sighting s = result_only(e);

	assert_non_null(s.invariant);
	assert_string_equal(s.invariant->rule, rule);
	assert_int_equal(s.invariant->first, engine_place(e, first));
	assert_int_equal(s.invariant->second, engine_place(e, second));
	assert_int_equal(s.blamed, engine_place(e, first));
	assert_int_equal(s.lost[0].context, engine_place(e, first));
	assert_int_equal(s.persisted[0].context, engine_place(e, second));
	assert_int_equal(stats_of(e).invariants.confirmed.value, rule[1] == 'A' ? 2 : 1);
}

/* Tests */

/* One state violates it; the two extreme ones belong to it. */
static void test_order(void **state)
{
	struct engine e;

	violate_make(&e, *state, "a <a b <b c <c | $", "a<b RO3", b_needs_a);
	engine_run(&e);
	assert_int_equal(engine_submitted(&e), 4);
	assert_int_equal(engine_count(&e, "a1 b1 c1"), 1);
	assert_int_equal(engine_count(&e, "a0 b0 c0"), 1);
	assert_int_equal(engine_count(&e, "a0 b1 c1"), 1);
	assert_int_equal(engine_count(&e, "a0 b1 c0"), 1);
	expect_reason(&e, "RO3", "a", "b");
	assert_int_equal(stats_of(&e).invariants.ordering.value, 5 + 1); /* it was not lifted */
	assert_int_equal(stats_of(&e).invariants.violable.value, 1);
	assert_int_equal(stats_of(&e).invariants.tested.value, 1);
	engine_free(&e);
	assert_int_equal(events_fed, 10);
}

/* What recovery tolerates is tested, and not reported. */
static void test_tolerated(void **state)
{
	struct engine e;

	violate_make(&e, *state, "a <a b <b | $", "a<b RO3", passes);
	engine_run(&e);
	assert_int_equal(engine_count(&e, "a0 b1"), 1);
	assert_int_equal(e.campaign->results.all.count, 0);
	assert_int_equal(stats_of(&e).invariants.tested.value, 1);
	assert_int_equal(stats_of(&e).invariants.confirmed.value, 0);
	engine_free(&e);
}

/* A fence between the two stores, or the line, makes the order certain: there is nothing to test. */
static void test_kept(void **state)
{
	static const char *const programs[] = {"a <a | b <b | $", "a A <a | $", "!a a !a b <b | $"};
	static const char *const orders[] = {"a<b RO3", "a<A RO2", "a<b RO1"};
	char dir[600];

	for (size_t i = 0; i < 3; i++) {
		struct engine e;

		snprintf(dir, sizeof(dir), "%s/%zu", (const char *)*state, i);
		assert_int_equal(mkdir(dir, 0777), 0);
		violate_make(&e, dir, programs[i], orders[i], b_needs_a);
		engine_run(&e);
		assert_int_equal(engine_submitted(&e), 0);
		assert_int_equal(stats_of(&e).invariants.violable.value, 0);
		engine_free(&e);
	}
}

/* The line orders them the wrong way. */
static void test_same_line(void **state)
{
	struct engine e;

	violate_make(&e, *state, "a A <a | $", "A<a RO3", passes);
	engine_run(&e);
	assert_int_equal(engine_count(&e, "a1 A0"), 1);
	engine_free(&e);
}

/* The second store is certain when the first is made. */
static void test_certain(void **state)
{
	struct engine e;

	violate_make(&e, *state, "b <b | a <a | $", "a<b RO3", b_needs_a);
	engine_run(&e);
	assert_int_equal(engine_count(&e, "a0 b1"), 1);
	expect_reason(&e, "RO3", "a", "b");
	engine_free(&e);
}

static struct ending b_needs_a_and_c(void *arg, const uint8_t *pool, unsigned patience)
{
	(void)arg;
	(void)patience;
	return pool_at(pool, 'b') && !(pool_at(pool, 'a') && pool_at(pool, 'c')) ? FAKE_FAIL : FAKE_PASS;
}

/* Recovery fails as soon as the second store is there, and until the first one is.  Inject blames the second; the
 * invariant blames the one that came too late, and not the one that comes next. */
static void test_early(void **state)
{
	struct crash_sighting s;
	struct engine e;

	violate_make(&e, *state, "b <b | c <c | a <a | d <d | $", "a<b RO3 c<b RO3", b_needs_a_and_c);
	e.options.strategies = after_inject;
	e.options.strategy_count = 2;
	engine_run(&e);
	expect_detectors(&e, 0, "inject,invariants");
	s = result_sighting(e.campaign, &e.campaign->results.all.at[0], NULL, (const char *[STRATEGY_SET_MAX]){0});
	assert_int_equal(s.cause, CAUSE_EARLY);
	assert_int_equal(e.campaign->results.all.at[0].sighting.blamed, engine_place(&e, "b"));
	assert_non_null(s.invariant);
	assert_int_equal(s.blamed, engine_place(&e, "a"));
	assert_int_equal(s.invariant->second, engine_place(&e, "b"));
	engine_free(&e);
}

/* Y is computed from X, and certain while X is not. */
static void test_never_flushed(void **state)
{
	struct engine e;

	violate_make(&e, *state, "a b <b | c <c | $", "a<b RO1", b_needs_a);
	engine_run(&e);
	expect_reason(&e, "RO1", "a", "b");
	engine_free(&e);
}

/* The second store is certain, so that it matters is a guess.  An invariant between code that stores to different objects
 * would be another one. */
static void test_weak(void **state)
{
	struct engine e;

	violate_make(&e, *state, "b <b | a <a | $", "a<b RO3", b_needs_a);
	scope = INVARIANT_SITES;
	engine_run(&e);
	assert_null(result_only(&e).invariant);
	scope = INVARIANT_ADDRESS;
	engine_free(&e);
}

/* Y was computed from an older X. */
static void test_older(void **state)
{
	struct engine e;

	violate_make(&e, *state, "b <b | a <a | $", "a<b RO1", b_needs_a);
	engine_run(&e);
	assert_int_equal(engine_submitted(&e), 0);
	engine_free(&e);
}

/* Either of two guardians alone. */
static void test_atomicity(void **state)
{
	struct engine e;

	violate_make(&e, *state, "a <a b <b | $", "a&b", b_needs_a);
	engine_run(&e);
	assert_int_equal(engine_count(&e, "a0 b1"), 1);
	assert_int_equal(engine_count(&e, "a1 b0"), 1);
	expect_reason(&e, "RA1", "a", "b");
	assert_int_equal(stats_of(&e).invariants.tested.value, 2);
	engine_free(&e);
}

/* 2^60 sets of stores, one of them planted, and a few states. */
static void test_many(void **state)
{
	struct engine e;

	violate_make(&e, *state, "c d e f g h i j k l m n o p q r s t u v w x y z a b <a <b | $", "a<b RO3", b_needs_a);
	engine_run(&e);
	assert_int_equal(engine_submitted(&e), 4);
	expect_reason(&e, "RO3", "a", "b");
	engine_free(&e);
}

/* Stores that are never flushed are paired with each other once, not at every moment. */
static void test_many_moments(void **state)
{
	static const char words[] =
		"d e f g h i j k l m n o p q r s t u v w x y z a b c <c | C <c | A <c | B <c | D <c | "
		"E <c | F <c | G <c | H <c | $";
	struct engine e;

	violate_make(&e, *state, words, "a<b RO3", b_needs_a);
	pairs_asked = 0;
	engine_run(&e);
	assert_in_range(pairs_asked, 26 * 25, 2 * 26 * 26);
	expect_reason(&e, "RO3", "a", "b");
	engine_free(&e);
}

/* Code that runs again is tested a few times only; with a budget, or without pruning, always. */
static void test_instances(void **state)
{
	static const char words[] = "a <a b <b | a <a b <b | a <a b <b | a <a b <b | a <a b <b | $";
	char dir[600];

	for (unsigned i = 0; i < 3; i++) {
		struct engine e;

		snprintf(dir, sizeof(dir), "%s/%u", (const char *)*state, i);
		assert_int_equal(mkdir(dir, 0777), 0);
		violate_make(&e, dir, words, "a<b RO3", passes);
		e.options.prune_segments = i != 1;
		e.options.budget = i == 2 ? 1000 : 0;
		engine_run(&e);
		assert_int_equal(engine_count(&e, "a0 b1"), 1);
		assert_int_equal(engine_count(&e, "a2 b3"), 1);
		assert_int_equal(engine_count(&e, "a3 b4"), i > 0);
		assert_int_equal(engine_count(&e, "a4 b5"), i > 0);
		engine_free(&e);
	}
}

/* Moments come in their order.  At each of them, what was seen most often comes first, then what can be violated most
 * often. */
static void test_ranking(void **state)
{
	static const struct {
		uint64_t moment, seen;
		uint32_t site;
	} found[] = {{5, 1, 1}, {5, 9, 2}, {5, 1, 3}, {8, 1, 3}, {8, 9, 2}, {9, 1, 3}, {9, 1, 3}};
	static const unsigned expected[] = {1, 2, 0, 4, 3, 5};
	const uint64_t code[2] = {0, 1};
	struct targets targets = {.each = 3};

	(void)state;
	for (unsigned i = 0; i < sizeof(found) / sizeof(*found); i++) {
		const struct violation violation = {.rule = INVARIANT_RO3,
						    .seen = found[i].seen,
						    .first.place.site = found[i].site,
						    .first.event = i};

		assert_true(targets_wants(&targets, code));
		assert_int_equal(targets_add(&targets, code, found[i].moment, &violation), i < 6);
	}
	targets_rank(&targets);
	assert_int_equal(targets.left_out, 1);
	assert_int_equal(targets.all.count, 6);
	for (unsigned i = 0; i < 6; i++)
		assert_int_equal(targets.all.at[i].violation.first.event, expected[i]);
	targets_free(&targets);
}

/* There is an end to what is kept. */
static void test_full(void **state)
{
	const struct violation violation = {.rule = INVARIANT_RO3};
	const uint64_t code[2] = {0, 1};
	struct targets targets = {.each = 0};

	(void)state;
	targets_wants(&targets, code);
	for (unsigned i = 0; i < TARGETS_MAX; i++)
		assert_true(targets_add(&targets, code, i, &violation));
	assert_false(targets.full);
	assert_false(targets_add(&targets, code, TARGETS_MAX, &violation));
	assert_true(targets.full);
	targets_free(&targets);
}

/* On eADR stores are on media in the order of the program, so only that order can be wrong. */
static void test_eadr(void **state)
{
	static const struct platform *eadr;
	static const char *const programs[] = {"a b $", "b a $"};
	char dir[600];

	eadr = platform_find("eadr");
	for (unsigned i = 0; i < 2; i++) {
		struct engine e;

		snprintf(dir, sizeof(dir), "%s/%u", (const char *)*state, i);
		assert_int_equal(mkdir(dir, 0777), 0);
		violate_make(&e, dir, programs[i], "a<b RO3", b_needs_a);
		e.options.platforms = &eadr;
		engine_run(&e);
		assert_int_equal(engine_count(&e, "a0 b1"), i);
		if (i) {
			struct crash_sighting s = result_only(&e);

			assert_int_equal(s.cause, CAUSE_EARLY);
			assert_non_null(s.invariant);
			assert_int_equal(s.invariant->first, engine_place(&e, "a"));
			assert_int_equal(s.invariant->second, engine_place(&e, "b"));
			assert_int_equal(s.blamed, engine_place(&e, "a"));
		}
		engine_free(&e);
	}
}

/* Inject finds the same failure: one result of both, with the invariant. */
static void test_joins(void **state)
{
	struct engine e;

	violate_make(&e, *state, "a b <b | <a | $", "a<b RO3", b_needs_a);
	e.options.strategies = after_inject;
	e.options.strategy_count = 2;
	engine_run(&e);
	assert_int_equal(engine_count(&e, "a0 b1"), 1);
	expect_detectors(&e, 0, "inject,invariants");
	expect_reason(&e, "RO3", "a", "b");
	engine_free(&e);
}

/* A failure that no invariant explains is reported all the same. */
static void test_unexplained(void **state)
{
	struct engine e;

	violate_make(&e, *state, "a <a b <b c <c | $", "c<b RO3", b_needs_a);
	engine_run(&e);
	assert_null(result_only(&e).invariant);
	assert_int_equal(stats_of(&e).invariants.confirmed.value, 0);
	engine_free(&e);
}

/* The user interrupts: what was found is there. */
static void test_interrupted(void **state)
{
	struct engine e;

	violate_make(&e, *state, "a <a b <b | a <a b <b | a <a b <b | $", "a<b RO3", b_needs_a);
	e.fake.stop_after = 4;
	engine_run(&e);
	assert_true(e.campaign->stopped);
	assert_false(campaign_complete(e.campaign));
	engine_free(&e);
}

/* With a budget, explore looks first where an invariant can be violated. */
static void test_suspects(void **state)
{
	struct engine e;

	violate_make(&e, *state, "c <c d <d | a <a b <b | $", "a<b RO3", passes);
	e.options.strategies = before_explore;
	e.options.strategy_count = 2;
	e.options.budget = 1000;
	engine_run(&e);
	assert_int_equal(e.campaign->suspects.count, 1);
	/* The states of the first moment come after those of the second. */
	for (size_t i = 0, seen = 0; i < e.fake.runs.count; i++) {
		const struct fake_run *run = &e.fake.runs.at[i];

		seen |= run->submitted && pool_at(run->pool, 'a');
		assert_true(seen || !run->submitted || pool_at(run->pool, 'c') == pool_at(run->pool, 'd'));
	}
	engine_free(&e);
}

/* Inference that takes more than its share of a budget leaves time to look for violations. */
static void test_slow_inference(void **state)
{
	struct engine e;

	violate_make(&e, *state, "a <a b <b | $", "a<b RO3", b_needs_a);
	e.options.budget = 4;
	inference_pause = 1500 * 1000;
	engine_run(&e);
	inference_pause = 0;
	expect_reason(&e, "RO3", "a", "b");
	engine_free(&e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		scratch_test(test_order),         scratch_test(test_tolerated),    scratch_test(test_kept),
		scratch_test(test_same_line),     scratch_test(test_certain),      scratch_test(test_early),
		scratch_test(test_never_flushed), scratch_test(test_older),        scratch_test(test_atomicity),
		scratch_test(test_many),          scratch_test(test_instances),    scratch_test(test_eadr),
		scratch_test(test_joins),         scratch_test(test_unexplained),  scratch_test(test_interrupted),
		scratch_test(test_suspects),      scratch_test(test_many_moments), scratch_test(test_weak),
		cmocka_unit_test(test_ranking),   cmocka_unit_test(test_full),     scratch_test(test_slow_inference),
	};

	return cmocka_run_group_tests_name("violate", tests, NULL, NULL);
}
