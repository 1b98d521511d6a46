/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_oracle.c - oracles that are not in the table (crash/oracle.h), with campaigns on small recordings (engine.h).
 *
 * Recovery always exits with status 0 here, and prints the lines that are on media: "a b".  So whatever is found is
 * found by an oracle of this file:
 *
 *     ordered     b on media without a is wrong
 *     operations  the recording has two operations; a crash in the second must not lose a
 *     orderly     like ordered, but it learns from a run without a crash what recovery prints
 *
 *  1. Inject and explore find the failures of an oracle, minimize and name them.
 *  2. Each case, which is a content in a context, has its own verdict.
 *  3. Contexts that start the same recovery share its runs.  Contexts that do not share none.
 *  4. An oracle can prepare itself, and judges nothing before.
 *  5. A crash during recovery knows the crash that it recovers from.
 *  6. An oracle may excuse a failure.  If there is no time to ask it, the failure is a finding only if its class is 0.  So failures of
 *     class 0 are explained first. */
#include <stdlib.h>
#include <string.h>

#include "engine.h"

static struct ending exits(void *arg, const uint8_t *pool, unsigned patience)
{
	(void)arg;
	(void)pool;
	(void)patience;
	return FAKE_PASS;
}

static const char *lines_print(void *arg, const uint8_t *pool, uint64_t setting)
{
	static char text[4];

	(void)arg;
	(void)setting;
	snprintf(text, sizeof(text), "%s%s", pool_at(pool, 'a') ? "a" : "", pool_at(pool, 'b') ? "b" : "");
	return text;
}

static bool prints(const struct outcome *outcome, char line)
{
	return memchr(outcome->out.text, line, outcome->out.size);
}

/* The kind is chosen to differ from that of an exit status. */
static enum finding_kind output_finding(struct ending how)
{
	assert_int_equal(how.kind, ENDING_OUTPUT);
	return KIND_RECOVERY_HANG;
}

static bool ordered_accepts(void *state, const struct outcome *outcome, const struct crash_context *crash,
			    struct ending *how)
{
	(void)state;
	(void)crash;
	*how = (struct ending){ENDING_OUTPUT, 7};
	return !prints(outcome, 'b') || prints(outcome, 'a');
}

static const struct oracle ordered = {.name = "ordered", .accepts = ordered_accepts, .finding = output_finding};

static void engine_judge(struct engine *e, const char *dir, const char *program, const struct oracle *const *list,
			 size_t count)
{
	engine_make(e, dir, program);
	e->fake.recover = exits;
	e->fake.print = lines_print;
	e->options.oracles = list;
	e->options.oracle_count = count;
}

/* Rule 1 */

static void expect_a_is_lost(const struct engine *e)
{
	assert_int_equal(e->campaign->results.all.count, 1);
	const struct crash_sighting *s = &e->campaign->results.all.at[0].sighting;
	assert_int_equal(s->kind, KIND_RECOVERY_HANG);
	assert_int_equal(s->ending.kind, ENDING_OUTPUT);
	assert_int_equal(s->ending.value, 7);
	assert_string_equal(s->out, "b");
	assert_int_equal(s->lost_count, 1);
	assert_int_equal(s->blamed, engine_place(e, "a"));
	assert_false(s->unfinished);
}

/* Inject; explore state by state; explore line by line. */
enum how { INJECT, EXPLORE, LAZILY, HOWS };

static void engine_run_by(struct engine *e, enum how how)
{
	static const uint64_t lines[] = {1, 0, 3};

	engine_use(e, how == INJECT ? ENGINE_INJECT : ENGINE_EXPLORE);
	e->options.prune_reads = how == LAZILY;
	e->fake.reads = how == LAZILY ? lines : NULL;
	e->fake.read_count = how == LAZILY ? 3 : 0;
	engine_run(e);
}

static void test_found(void **state)
{
	static const struct oracle *const list[] = {&oracle_exit_status, &ordered};
	struct engine e;

	engine_judge(&e, *state, "c d a b <b | <c <d <a | $", list, 2);
	for (unsigned how = INJECT; how < HOWS; how++) {
		engine_run_by(&e, (enum how)how);
		expect_a_is_lost(&e);
	}
	engine_free(&e);
}

/* The oracles of the table do not look at the output. */
static void test_not_found(void **state)
{
	struct engine e;

	engine_judge(&e, *state, "c d a b <b | <c <d <a | $", NULL, 0);
	engine_run(&e);
	assert_int_equal(e.campaign->results.all.count, 0);
	engine_free(&e);
}

/* Verdicts of other oracles are worth nothing. */
static void test_resume(void **state)
{
	static const struct oracle *const list[] = {&oracle_exit_status, &ordered};
	struct engine e;
	size_t runs;

	engine_judge(&e, *state, "c d a b <b | <c <d <a | $", NULL, 0);
	e.options.resume = true;
	engine_run(&e);
	runs = engine_submitted(&e);
	assert_true(runs > 0);
	engine_run(&e);
	assert_int_equal(engine_submitted(&e), 0);
	e.options.oracles = list;
	e.options.oracle_count = 2;
	for (unsigned i = 0; i < 2; i++) {
		engine_run(&e);
		assert_int_equal(engine_submitted(&e), i ? 0 : runs);
		expect_a_is_lost(&e);
	}
	engine_free(&e);
}

/* Rules 2 and 3.  In "a d <a <d | b <b |" the content where a and d are on media, but not b, is possible in both
 * operations. */

static uint64_t second; /* the last event of the first operation */

static uint64_t operation_of(void *state, const struct crash_context *crash)
{
	(void)state;
	return crash->event == CRASH_NONE ? 0 : crash->event < second ? 1 : 2;
}

static bool operations_accepts(void *state, const struct outcome *outcome, const struct crash_context *crash,
			       struct ending *how)
{
	*how = (struct ending){ENDING_OUTPUT, (int)operation_of(state, crash)};
	return operation_of(state, crash) != 2 || prints(outcome, 'b');
}

static const struct oracle operations = {.name = "operations",
					 .accepts = operations_accepts,
					 .finding = output_finding,
					 .key = operation_of};
static const struct oracle operations_apart = {.name = "apart",
					       .accepts = operations_accepts,
					       .finding = output_finding,
					       .key = operation_of,
					       .command = operation_of};

/* The context of a trial, made as the campaign makes it. */
static struct crash_context context_at(const struct engine *e, uint64_t event)
{
	return campaign_crash(e->campaign, 0, event);
}

/* The event before the word "b". */
static uint64_t second_begins(const struct engine *e)
{
	struct reading *reading;
	const struct event *ev;
	struct err err;

	assert_int_equal(reading_open(&reading, e->dir, platform_find("adr"), e->survey->origin, &err), 0);
	while (reading_look(reading, &ev, &err) > 0 && ev->context != engine_place(e, "b"))
		reading_go(reading);
	uint64_t event = reading_number(reading);
	reading_close(reading);
	return event;
}

/* That content; recovery ran on it. */
static struct digest shared_content(const struct engine *e)
{
	for (size_t i = 0; i < e->fake.runs.count; i++) {
		const struct fake_run *run = &e->fake.runs.at[i];

		if (!run->final && (run->digest.low | run->digest.high) && pool_at(run->pool, 'a') &&
		    pool_at(run->pool, 'd') && !pool_at(run->pool, 'b'))
			return run->digest;
	}
	fail_msg("recovery did not run on a and d alone");
	return (struct digest){0};
}

/* Recoveries on that content, but for those that only explain. */
static size_t runs_on_shared(const struct engine *e)
{
	size_t count = 0;

	for (size_t i = 0; i < e->fake.runs.count; i++) {
		const struct fake_run *run = &e->fake.runs.at[i];

		if (!run->submitted && !run->lazy)
			continue;
		assert_ptr_equal(run->crash.platform, platform_find("adr"));
		assert_null(run->crash.first);
		count += digest_equal(run->digest, shared_content(e));
	}
	return count;
}

static void expect_judged_apart(struct engine *e)
{
	struct crash_context one = context_at(e, second - 1), two = context_at(e, second);
	struct digest content = shared_content(e);

	assert_false(digest_equal(crash_case(content, &one), crash_case(content, &two)));
	assert_true(verdict_passed(outcomes_get(e->campaign->outcomes, crash_case(content, &one))));
	assert_true(verdict_failed(outcomes_get(e->campaign->outcomes, crash_case(content, &two))));
	assert_false(outcomes_get(e->campaign->outcomes, content).known);
	assert_int_equal(e->campaign->results.all.count, 1);
	const struct crash_sighting *s = &e->campaign->results.all.at[0].sighting;
	assert_int_equal(s->ending.kind, ENDING_OUTPUT);
	assert_int_equal(s->ending.value, 2);
	assert_true(s->point_event > second);
}

static void test_operations(void **state)
{
	static const struct oracle *const together[] = {&oracle_exit_status, &operations};
	static const struct oracle *const apart[] = {&oracle_exit_status, &operations_apart};
	struct engine e;

	engine_judge(&e, *state, "a d <a <d | b <b | $", NULL, 2);
	second = second_begins(&e);
	for (unsigned how = INJECT; how < HOWS; how++) {
		e.options.oracles = together;
		engine_run_by(&e, (enum how)how);
		expect_judged_apart(&e);
		/* A lazy recovery decides by itself which contents it sees, so it shares nothing. */
		assert_int_equal(runs_on_shared(&e), how == LAZILY ? 2 : 1);
		e.options.oracles = apart;
		engine_run_by(&e, (enum how)how);
		expect_judged_apart(&e);
		assert_int_equal(runs_on_shared(&e), 2);
	}
	engine_free(&e);
}

/* The first oracle that rejects decides. */
static void test_first(void **state)
{
	const struct oracle *const list[] = {&ordered, &operations};
	struct oracles *o = oracles_new(list, 2);
	struct crash_context crash;
	struct verdict verdict;
	char text[] = "b", nothing[] = "";
	struct outcome outcome = {.out = {.text = text, .size = 1}};

	(void)state;
	second = 10;
	crash = oracles_place(o, (struct crash_context){.event = 20});
	verdict = oracles_judge(o, &outcome, &crash);
	assert_true(verdict_failed(verdict));
	assert_int_equal(verdict.ending.value, 7);
	assert_string_equal(oracles_name(o, verdict), "ordered");
	outcome.out = (struct tail){.text = nothing};
	verdict = oracles_judge(o, &outcome, &crash);
	assert_int_equal(verdict.ending.value, 2);
	assert_string_equal(oracles_name(o, verdict), "operations");
	assert_true(verdict_same(verdict_decode(verdict_code(verdict)), verdict));
	crash = oracles_place(o, (struct crash_context){.event = 5});
	verdict = oracles_judge(o, &outcome, &crash);
	assert_true(verdict_passed(verdict));
	assert_int_equal(verdict.ending.kind, ENDING_EXIT);
	oracles_free(o);
}

/* Rule 4 */

static int begun, ended, early;

/* What recovery prints on the files that the program left. */
static int orderly_begin(void **state, const void *options, const struct oracle_scene *scene, struct err *err)
{
	const struct crash_context crash = {.event = CRASH_NONE};
	struct content *content = content_new();
	struct tester_result run;
	struct trace *trace;
	struct event ev;
	int r;

	assert_string_equal(options, "the options");
	assert_int_equal(trace_open(&trace, scene->dir, err), 0);
	while (trace_next(trace, &ev, err) > 0)
		content_apply(content, &ev);
	r = tester_run_content(scene->tester, content, &crash, 1, &run, err);
	assert_int_equal(r, 0);
	assert_int_equal(early, 0);
	*state = strdup(run.outcome.out.text);
	outcome_free(&run.outcome);
	trace_close(trace);
	content_free(content);
	begun++;
	return 0;
}

static void orderly_end(void *state)
{
	free(state);
	ended++;
}

static bool orderly_accepts(void *state, const struct outcome *outcome, const struct crash_context *crash,
			    struct ending *how)
{
	early += !state;
	assert_string_equal(state, "ab");
	return ordered_accepts(NULL, outcome, crash, how);
}

static void test_begin(void **state)
{
	static const struct oracle orderly = {
		.name = "orderly",
		.accepts = orderly_accepts,
		.finding = output_finding,
		.options = "the options",
		.begin = orderly_begin,
		.end = orderly_end,
	};
	static const struct oracle *const list[] = {&oracle_exit_status, &orderly};
	struct engine e;

	engine_judge(&e, *state, "c d a b <b | <c <d <a | $", list, 2);
	engine_run(&e);
	assert_int_equal(begun, 1);
	expect_a_is_lost(&e);
	engine_free(&e);
	assert_int_equal(ended, 1);
	assert_int_equal(early, 0);
}

/* Rule 5 */

static void redo(void *arg, const uint8_t *pool, const char *dir)
{
	(void)arg;
	engine_record(dir, pool, pool_at(pool, 'a') && !pool_at(pool, 'b') ? "?a d <d | $" : "?a $");
}

static void test_second_crash(void **state)
{
	static const struct oracle *const list[] = {&oracle_exit_status, &ordered};
	struct engine e;
	size_t within = 0;

	engine_judge(&e, *state, "a <a | b <b | $", list, 2);
	e.fake.record = redo;
	e.options.nested = true;
	engine_run(&e);
	for (size_t i = 0; i < e.fake.runs.count; i++) {
		const struct crash_context *first = e.fake.runs.at[i].crash.first;

		if (!first)
			continue;
		within++;
		assert_ptr_equal(first->platform, platform_find("adr"));
		assert_in_range(first->event, 1, CRASH_NONE - 1);
		assert_null(first->first);
	}
	assert_true(within > 0);
	engine_free(&e);
}

/* Rule 6 */

static bool excuses_all(void *state, const struct outcome *outcome, const struct outcome *idle,
			const struct crash_context *crash)
{
	(void)state;
	(void)outcome;
	(void)idle;
	(void)crash;
	return true;
}

static bool sternly_accepts(void *state, const struct outcome *outcome, const struct crash_context *crash,
			    struct ending *how)
{
	const bool accepted = ordered_accepts(state, outcome, crash, how);

	how->value = 0;
	return accepted;
}

static void test_excused(void **state)
{
	static const struct oracle mild = {.name = "mild",
					   .accepts = ordered_accepts,
					   .excuses = excuses_all,
					   .finding = output_finding};
	static const struct oracle stern = {.name = "stern",
					    .accepts = sternly_accepts,
					    .excuses = excuses_all,
					    .finding = output_finding};
	static const struct oracle *const milds[] = {&mild}, *const sterns[] = {&stern};
	struct engine e;

	engine_judge(&e, *state, "a b <b | c <a d <c e <d f <e | $", milds, 1);
	engine_run(&e);
	assert_int_equal(e.campaign->results.all.count, 0);
	assert_int_equal(e.campaign->results.unexamined, 0);
	e.fake.stop_after = engine_submitted(&e) - 1;
	engine_run(&e);
	assert_int_equal(e.campaign->results.all.count, 0);
	assert_true(e.campaign->results.unexamined > 0);
	e.options.oracles = sterns;
	engine_run(&e);
	assert_int_equal(e.campaign->results.all.count, 1);
	assert_int_equal(e.campaign->results.unexamined, 0);
	engine_free(&e);
}

/* b without a is expected to be excused, and comes first in the program; b without c is not. */
static bool mixed_accepts(void *state, const struct outcome *outcome, const struct crash_context *crash,
			  struct ending *how)
{
	(void)state;
	(void)crash;
	*how = (struct ending){ENDING_OUTPUT, prints(outcome, 'a') ? 0 : 7};
	return !prints(outcome, 'b') || (prints(outcome, 'a') && prints(outcome, 'c'));
}

static char excused[8];

static bool excuses_noting(void *state, const struct outcome *outcome, const struct outcome *idle,
			   const struct crash_context *crash)
{
	char class[] = {prints(outcome, 'a') ? '0' : '7', 0};

	(void)state;
	(void)idle;
	(void)crash;
	if (strlen(excused) + 1 < sizeof(excused) && !strchr(excused, class[0]))
		strcat(excused, class);
	return true;
}

static const char *three_print(void *arg, const uint8_t *pool, uint64_t setting)
{
	static char text[4];

	(void)arg;
	(void)setting;
	snprintf(text, sizeof(text), "%s%s%s", pool_at(pool, 'a') ? "a" : "", pool_at(pool, 'b') ? "b" : "",
		 pool_at(pool, 'c') ? "c" : "");
	return text;
}

static void test_excused_last(void **state)
{
	static const struct oracle mixed = {.name = "mixed",
					    .accepts = mixed_accepts,
					    .excuses = excuses_noting,
					    .finding = output_finding};
	static const struct oracle *const list[] = {&mixed};
	struct engine e;

	engine_judge(&e, *state, "b <b | a <a d <d | c <c | $", list, 1);
	e.fake.print = three_print;
	excused[0] = 0;
	engine_run(&e);
	assert_string_equal(excused, "07");
	engine_free(&e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		scratch_test(test_found),        scratch_test(test_not_found), scratch_test(test_resume),
		scratch_test(test_operations),   scratch_test(test_first),     scratch_test(test_begin),
		scratch_test(test_second_crash), scratch_test(test_excused),   scratch_test(test_excused_last),
	};

	return cmocka_run_group_tests_name("oracle", tests, NULL, NULL);
}
