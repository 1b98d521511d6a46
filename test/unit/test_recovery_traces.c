/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_recovery_traces.c - what the engine makes of recordings of recovery: a second crash inside it (crash/nested.c),
 * the lines that it reads (explore/observe.c), what it does with leftovers (crash/leftovers.c).  Recovery is a
 * function, and its recording a few words (engine.h). */

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "crash/recovery_trace.h"
#include "engine.h"

/* The service */

struct seen {
	unsigned begun, events, loads, ended;
	unsigned done; /* recovery_trace_start */
	int traced;
	bool *interrupt; /* set when the recording begins to be read; NULL: none */
	double seconds;  /* that it may take */
};

static void begin_see(void *arg, const struct trace *trace)
{
	struct seen *seen = arg;

	assert_non_null(trace);
	assert_int_equal(seen->events, 0);
	seen->begun++;
	if (seen->interrupt)
		*seen->interrupt = true;
}

static void event_see(void *arg, const struct trace *trace, const struct event *ev)
{
	struct seen *seen = arg;

	assert_non_null(trace);
	assert_int_equal(seen->begun, 1);
	seen->events++;
	seen->loads += ev->type == EVENT_LOAD;
}

static void end_see(void *arg, const struct trace *trace)
{
	struct seen *seen = arg;

	assert_non_null(trace);
	seen->ended++;
}

static void done_see(void *arg, int traced, const struct outcome *outcome)
{
	struct seen *seen = arg;

	assert_int_equal(!outcome, traced < 0);
	seen->traced = traced;
	seen->done++;
}

/* Record recovery on everything that "a b" stored, with this recorder; `start` it, or wait. */
static int trace_so(struct engine *e, const char *keep, bool start, struct seen *seen, struct err *err)
{
	const struct recovery_consumer consumer = {.begin = begin_see, .event = event_see, .end = end_see, .arg = seen};
	const struct tester_maker maker = fake_maker(&e->fake);
	struct reading *reading;
	struct tester *tester;
	struct state *state;
	int r;

	*seen = (struct seen){.interrupt = seen->interrupt, .seconds = seen->seconds};
	assert_int_equal(reading_open(&reading, e->dir, platform_find("adr"), e->survey->origin, err), 0);
	assert_int_equal(reading_to(reading, UINT64_MAX, err), 0);
	state = state_all(reading_image(reading));
	const struct tester_options options = {.recovery.stop = fake_stop(&e->fake)};
	assert_int_equal(tester_open(&tester, &maker, &options, reading_image(reading), NULL, err), 0);
	const struct recovery_trace_options how = {.tester = tester,
						   .input.state = state,
						   .layers = BO_LAYER_LOADS,
						   .seconds = seen->seconds,
						   .under = e->out,
						   .keep = keep,
						   .number = start ? 7 : 0};
	r = start ? recovery_trace_start(&how, &consumer, done_see, err) : recovery_trace(&how, &consumer, err);
	tester_close(tester);
	state_free(state);
	reading_close(reading);
	return r;
}

static int trace_it(struct engine *e, const char *keep, struct seen *seen, struct err *err)
{
	return trace_so(e, keep, false, seen, err);
}

static bool is_there(const struct engine *e, const char *name)
{
	char path[600];
	struct stat st;

	snprintf(path, sizeof(path), "%s/%s", e->out, name);
	return stat(path, &st) == 0;
}

static void reads_twice(void *arg, const uint8_t *pool, const char *dir)
{
	(void)arg;
	assert_int_equal(pool_at(pool, 'b'), 1);
	engine_record(dir, pool, "?a ?b $");
}

/* The file ends in the middle of a chunk. */
static void records_half(void *arg, const uint8_t *pool, const char *dir)
{
	char path[600];
	struct stat st;

	reads_twice(arg, pool, dir);
	snprintf(path, sizeof(path), "%s/trace/0000.bo", dir);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(truncate(path, st.st_size / 2), 0);
}

/* The recorder says that there was no space for more. */
static void log_shortage(const char *dir)
{
	char path[600];
	FILE *log;

	snprintf(path, sizeof(path), "%s/recorder.log", dir);
	log = fopen(path, "w");
	assert_non_null(log);
	fputs(BO_STOPPED_SAYS ": " BO_STOPPED_SPACE "\n", log);
	assert_int_equal(fclose(log), 0);
}

static void runs_out_of_space(void *arg, const uint8_t *pool, const char *dir)
{
	reads_twice(arg, pool, dir);
	log_shortage(dir);
}

static void test_service(void **state)
{
	char sentence[600];
	struct seen seen = {0};
	struct engine e;
	struct err err;

	engine_make(&e, *state, "a b $");
	e.fake.record = reads_twice;
	assert_int_equal(trace_it(&e, NULL, &seen, &err), RECOVERY_TRACE_WHOLE);
	assert_int_equal(seen.begun, 1);
	assert_int_equal(seen.loads, 2);
	assert_int_equal(seen.ended, 1);
	assert_false(is_there(&e, "recovery0"));
	assert_int_equal(trace_it(&e, "kept", &seen, &err), RECOVERY_TRACE_WHOLE);
	assert_int_equal(seen.loads, 2);
	assert_true(is_there(&e, "kept/trace/0000.bo"));

	/* Nothing stays of a recording that is not whole, and no consumer is told that it is. */
	e.fake.record = records_half;
	assert_int_equal(trace_it(&e, "half", &seen, &err), RECOVERY_TRACE_DAMAGED);
	assert_int_equal(seen.ended, 0);
	assert_false(is_there(&e, "half"));
	e.fake.record = runs_out_of_space;
	assert_int_equal(trace_it(&e, "cut", &seen, &err), RECOVERY_TRACE_CUT);
	assert_int_equal(seen.ended, 0);
	assert_false(is_there(&e, "cut"));
	snprintf(sentence, sizeof(sentence), "recovery could not be recorded in %s: " BO_STOPPED_SPACE, e.out);
	assert_string_equal(err.sentence, sentence);
	e.fake.record = NULL;
	assert_int_equal(trace_it(&e, "none", &seen, &err), -1);
	assert_string_equal(err.sentence, "a fake without a recorder");
	assert_false(is_there(&e, "none"));

	/* The user interrupts. */
	e.fake.record = reads_twice;
	e.fake.interrupted = true;
	assert_int_equal(trace_it(&e, "stopped", &seen, &err), TESTER_STOPPED);
	assert_int_equal(seen.begun, 0);
	assert_false(is_there(&e, "stopped"));
	/* While the recording is read: it may be long. */
	e.fake.interrupted = false;
	seen.interrupt = &e.fake.interrupted;
	assert_int_equal(trace_it(&e, "stopped", &seen, &err), TESTER_STOPPED);
	assert_int_equal(seen.begun, 1);
	assert_int_equal(seen.events, 0);
	assert_int_equal(seen.ended, 0);
	assert_false(is_there(&e, "stopped"));
	seen.interrupt = NULL;

	/* There is no time to read it, or enough. */
	e.fake.interrupted = false;
	seen.seconds = 1e-9;
	assert_int_equal(trace_it(&e, "late", &seen, &err), RECOVERY_TRACE_LIMITED);
	assert_int_equal(seen.begun, 1);
	assert_int_equal(seen.events, 0);
	assert_int_equal(seen.ended, 0);
	assert_false(is_there(&e, "late"));
	seen.seconds = 1000;
	assert_int_equal(trace_it(&e, NULL, &seen, &err), RECOVERY_TRACE_WHOLE);
	assert_int_equal(seen.ended, 1);
	seen.seconds = 0;
	e.fake.interrupted = true;
	fake_free(&e.fake);

	/* A directory of someone else is neither used nor removed. */
	snprintf(sentence, sizeof(sentence), "%s/mine", e.out);
	assert_int_equal(mkdir(sentence, 0777), 0);
	strcat(sentence, "/file");
	assert_int_equal(mkdir(sentence, 0777), 0);
	assert_int_equal(trace_it(&e, "mine", &seen, &err), -1);
	assert_true(is_there(&e, "mine/file"));
	engine_free(&e);
}

/* A recording that was started tells how it ended, once, and leaves nothing. */
static void test_started(void **state)
{
	struct seen seen = {0};
	struct engine e;
	struct err err;

	engine_make(&e, *state, "a b $");
	e.fake.record = reads_twice;
	assert_int_equal(trace_so(&e, NULL, true, &seen, &err), 0);
	assert_int_equal(seen.loads, 2);
	assert_int_equal(seen.ended, 1);
	assert_int_equal(seen.done, 1);
	assert_int_equal(seen.traced, RECOVERY_TRACE_WHOLE);
	assert_false(is_there(&e, "recovery7"));
	e.fake.record = records_half;
	assert_int_equal(trace_so(&e, NULL, true, &seen, &err), 0);
	assert_int_equal(seen.ended, 0);
	assert_int_equal(seen.done, 1);
	assert_int_equal(seen.traced, RECOVERY_TRACE_DAMAGED);
	assert_false(is_there(&e, "recovery7"));

	/* If it did not start, nobody is told that it ended. */
	e.fake.record = NULL;
	assert_int_equal(trace_so(&e, NULL, true, &seen, &err), -1);
	assert_int_equal(seen.done, 0);
	assert_false(is_there(&e, "recovery7"));
	e.fake.record = reads_twice;
	e.fake.interrupted = true;
	assert_int_equal(trace_so(&e, NULL, true, &seen, &err), TESTER_STOPPED);
	assert_int_equal(seen.done, 0);
	fake_free(&e.fake);
	engine_free(&e);
}

/* Nested */

/* Recovery takes one step if the work was begun (a) and is not done (c): it stores r, and then c.  On r without c it
 * does not know what to do. */
static struct ending half_done_fails(void *arg, const uint8_t *pool, unsigned patience)
{
	(void)arg;
	(void)patience;
	return pool_at(pool, 'r') && !pool_at(pool, 'c') ? FAKE_FAIL : FAKE_PASS;
}

static void redo_badly(void *arg, const uint8_t *pool, const char *dir)
{
	(void)arg;
	engine_record(dir, pool, pool_at(pool, 'a') && !pool_at(pool, 'c') ? "?a r <r | c <c | $" : "?a $");
}

static void redo_well(void *arg, const uint8_t *pool, const char *dir)
{
	(void)arg;
	engine_record(dir, pool, pool_at(pool, 'a') && !pool_at(pool, 'c') ? "?a c <c | r <r | $" : "?a $");
}

static void nested_run_it(struct engine *e, const char *dir,
			  void (*record)(void *arg, const uint8_t *pool, const char *dir))
{
	engine_make(e, dir, "a <a | c <c | $");
	e->fake.recover = half_done_fails;
	e->fake.record = record;
	e->options.nested = true;
	engine_run(e);
	assert_int_equal(e->campaign->results.all.count, 0); /* one crash shows nothing */
	assert_int_equal(e->campaign->nested->states, 3);    /* nothing; a; a and c */
	assert_int_equal(e->campaign->nested->crashed, 3);
	assert_int_equal(e->fake.recorded, 3);
	assert_int_equal(e->campaign->nested->unreadable, 0);
}

static void test_second_crash(void **state)
{
	struct engine e;

	nested_run_it(&e, *state, redo_badly);
	/* Only on the state with a alone has recovery anything to do. */
	assert_int_equal(e.campaign->nested->campaigns.count, 1);
	const struct campaign *within = e.campaign->nested->campaigns.at[0].campaign;
	assert_in_range(within->results.all.count, 1, 2);
	bool early = false;
	for (size_t i = 0; i < within->results.all.count; i++) {
		const struct crash_sighting *s = &within->results.all.at[i].sighting;

		assert_int_equal(s->kind, KIND_RECOVERY_ERROR);
		early |= s->cause == CAUSE_EARLY && s->blamed == 2; /* the store of r is the second word */
	}
	assert_true(early);
	/* What is the same content as a state of the first crash is not run again. */
	engine_submitted(&e);
	assert_true(e.campaign->found.failed > 0);
	engine_free(&e);
}

static void test_second_crash_passes(void **state)
{
	struct engine e;

	nested_run_it(&e, *state, redo_well);
	assert_int_equal(e.campaign->nested->campaigns.count, 1);
	assert_int_equal(e.campaign->nested->campaigns.at[0].campaign->results.all.count, 0);
	assert_int_equal(e.campaign->found.failed, 0);
	engine_free(&e);
}

/* Without a recorder nothing is tested as if it were. */
static void test_no_recorder(void **state)
{
	struct engine e;

	engine_make(&e, *state, "a <a | $");
	e.fake.recover = half_done_fails;
	e.options.nested = true;
	assert_int_equal(engine_try(&e), -1);
	assert_string_equal(e.err.sentence, "a fake without a recorder");
	engine_free(&e);
}

/* The second recording fails.  The first one does not stay behind. */
static void records_once(void *arg, const uint8_t *pool, const char *dir)
{
	struct engine *e = arg;

	redo_badly(NULL, pool, dir);
	e->fake.record = NULL;
}

static void test_no_recorder_later(void **state)
{
	struct engine e;

	engine_make(&e, *state, "a <a | c <c | $");
	e.fake.recover = half_done_fails;
	e.fake.record = records_once;
	e.fake.arg = &e;
	e.options.nested = true;
	assert_int_equal(engine_try(&e), -1);
	assert_int_equal(e.fake.recorded, 1);
	campaign_free(e.campaign);
	e.campaign = NULL;
	assert_false(is_there(&e, "nested"));
	engine_free(&e);
}

/* Lines that are read */

static void reads_a_and_b(void *arg, const uint8_t *pool, const char *dir)
{
	(void)arg;
	engine_record(dir, pool, "?a ?b $");
}

/* Where recovery cannot be asked line by line, the lines that it was seen to read are tried in all ways, and the others
 * all together. */
static void test_observed(void **state)
{
	struct engine e;
	size_t all, read;

	engine_make(&e, *state, "a b c d e f | $");
	e.fake.recover = b_needs_a;
	engine_use(&e, ENGINE_EXPLORE);
	engine_run(&e);
	all = engine_submitted(&e);
	assert_int_equal(all, 64);
	e.options.prune_reads = true;
	e.fake.record = reads_a_and_b;
	engine_run(&e);
	read = engine_submitted(&e);
	assert_true(read < all);
	assert_true(engine_figures(&e).observed);
	assert_int_equal(engine_count(&e, "a0 b1 c0 d0 e0 f0"), 1);
	assert_int_equal(engine_count(&e, "a0 b1 c1 d1 e1 f1"), 1);
	assert_int_equal(engine_count(&e, "a0 b1 c1 d0 e1 f1"), 0);
	assert_int_equal(e.campaign->results.all.count, 1);
	assert_int_equal(e.campaign->results.all.at[0].sighting.blamed, engine_place(&e, "a"));
	/* If it cannot be watched, all are tried. */
	e.fake.record = NULL;
	engine_run(&e);
	assert_int_equal(engine_submitted(&e), all);
	assert_false(engine_figures(&e).observed);
	engine_free(&e);
}

/* Leftovers */

static void overwrites_a_reads_c(void *arg, const uint8_t *pool, const char *dir)
{
	(void)arg;
	engine_record(dir, pool, "?b a ?a ?c $");
}

static void overwrites_a_and_stops(void *arg, const uint8_t *pool, const char *dir)
{
	overwrites_a_reads_c(arg, pool, dir);
	log_shortage(dir);
}

static struct ending needs_d(void *arg, const uint8_t *pool, unsigned patience)
{
	(void)arg;
	(void)patience;
	return pool_at(pool, 'b') && !pool_at(pool, 'd') ? FAKE_FAIL : FAKE_PASS;
}

/* Nobody flushes a, c, d and e.  Recovery overwrites a before it reads it, reads c and passes with what it was, fails
 * without d, and does not look at e. */
static void test_leftovers(void **state)
{
	static const enum leftover_fate fates[] = {LEFTOVER_OVERWRITTEN, LEFTOVER_ACCEPTED, LEFTOVER_FATAL,
						   LEFTOVER_UNTOUCHED};
	const struct leftover_proof *proofs;
	struct engine e;
	uint32_t contexts[4];
	size_t count;

	engine_make(&e, *state, "a c d e b <b | $");
	for (size_t i = 0; i < 4; i++)
		contexts[i] = engine_place(&e, (const char *[]){"a", "c", "d", "e"}[i]);
	e.fake.recover = needs_d;
	e.fake.record = overwrites_a_reads_c;
	e.options.leftovers = contexts;
	e.options.leftover_count = 4;
	engine_run(&e);
	proofs = campaign_proofs(e.campaign, &count);
	assert_int_equal(count, 4);
	for (size_t i = 0; i < 4; i++)
		for (size_t k = 0; k < 4; k++)
			if (proofs[i].context == contexts[k])
				assert_int_equal(proofs[i].fate, fates[k]);
	/* A part of recovery does not show that it leaves e alone. */
	e.fake.record = overwrites_a_and_stops;
	engine_run(&e);
	proofs = campaign_proofs(e.campaign, &count);
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(proofs[i].fate, proofs[i].context == contexts[2] ? LEFTOVER_FATAL : LEFTOVER_UNKNOWN);
	assert_false(is_there(&e, "observed"));
	engine_free(&e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		scratch_test(test_service),
		scratch_test(test_started),
		scratch_test(test_no_recorder_later),
		scratch_test(test_second_crash),
		scratch_test(test_second_crash_passes),
		scratch_test(test_no_recorder),
		scratch_test(test_observed),
		scratch_test(test_leftovers),
	};

	return cmocka_run_group_tests_name("recovery_traces", tests, NULL, NULL);
}
