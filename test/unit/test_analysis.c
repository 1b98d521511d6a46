/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_analysis.c - an analysis is an object: what it finds depends on its options and its recording, not on other
 * analyses in the same process.  Recovery is a function (engine.h). */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "analysis/analysis.h"
#include "engine.h"
#include "report/report.h"

enum { ROUNDS = 5 };

/* A recording, what recovery does, and one analysis of it. */
struct subject {
	struct engine engine;
	struct analysis_options options;
	struct analysis *analysis;
	const struct analysis_result *result;
	struct err err;
	char *report; /* JSON, without times */
};

static struct ending d_dies_without_c(void *arg, const uint8_t *pool, unsigned patience)
{
	(void)arg;
	(void)patience;
	return pool_at(pool, 'd') && !pool_at(pool, 'c') ? FAKE_KILLED : FAKE_PASS;
}

static struct ending fails(void *arg, const uint8_t *pool, unsigned patience)
{
	(void)arg;
	(void)pool;
	(void)patience;
	return FAKE_FAIL;
}

static void subject_make(struct subject *s, const char *dir, const char *name, const char *program,
			 fake_recovery *recover, const char *detect)
{
	char place[400];

	memset(s, 0, sizeof(*s));
	snprintf(place, sizeof(place), "%s/%s", dir, name);
	assert_int_equal(mkdir(place, 0777), 0);
	engine_make(&s->engine, place, program);
	s->engine.fake.recover = recover;
	s->options.testing = s->engine.options;
	assert_int_equal(choice_parse(&s->options.choice, detect, "adr", &s->err), 0);
}

/* The second also needs explore to fail, and fails in another way; it has a line that is never flushed. */
static void subjects_make(struct subject pair[2], const char *dir)
{
	subject_make(&pair[0], dir, "first", "b <b | a <a | $", b_needs_a, "patterns,inject");
	subject_make(&pair[1], dir, "second", "d c <c <d | d <d | e $", d_dies_without_c, "patterns,inject,explore");
}

static void subject_begin(struct subject *s)
{
	s->engine.maker = fake_maker(&s->engine.fake);
	s->options.testing.maker = &s->engine.maker;
	s->options.stop = fake_stop(&s->engine.fake);
	assert_int_equal(analysis_new(&s->analysis, &s->options, &s->err), 0);
}

static void subject_read(struct subject *s)
{
	assert_int_equal(analysis_read(s->analysis, s->engine.dir, &s->err), 0);
}

static void subject_judge(struct subject *s, const struct analysis_facts *more)
{
	struct analysis_facts facts = more ? *more : (struct analysis_facts){0};
	struct findings findings;
	FILE *out;
	size_t size;

	facts.out = facts.out_shown = s->engine.out;
	s->result = analysis_judge(s->analysis, &facts);
	assert_non_null(s->result->findings);
	assert_null(s->result->unwritten);
	findings = *s->result->findings;
	memset(&findings.stats.seconds, 0, sizeof(findings.stats.seconds));
	free(s->report);
	out = open_memstream(&s->report, &size);
	assert_int_equal(report_write(REPORT_JSON, &findings, &(struct report_options){0}, out, &s->err), 0);
	fclose(out);
}

static void subject_end(struct subject *s)
{
	analysis_free(s->analysis);
	s->analysis = NULL;
	fake_free(&s->engine.fake);
}

static void subject_free(struct subject *s)
{
	free(s->report);
	engine_free(&s->engine);
}

/* The report of an analysis that is alone in the process; the caller frees it. */
static char *report_alone(struct subject *s)
{
	char *report;

	subject_begin(s);
	subject_read(s);
	subject_judge(s, NULL);
	subject_end(s);
	report = s->report;
	s->report = NULL;
	return report;
}

static size_t kind_total(const struct subject *s, const char *kind)
{
	size_t count = 0;

	for (size_t i = 0; i < s->result->findings->count; i++)
		count += !strcmp(kind_get(s->result->findings->at[i].kind)->name, kind);
	return count;
}

static bool has_note(const struct subject *s, const char *text)
{
	for (size_t i = 0; i < s->result->findings->notes.count; i++)
		if (strstr(s->result->findings->notes.at[i], text))
			return true;
	return false;
}

static void test_alone(void **state)
{
	struct subject pair[2];
	char *again;

	subjects_make(pair, *state);
	again = report_alone(&pair[0]);
	subject_begin(&pair[0]);
	subject_read(&pair[0]);
	assert_true(analysis_will_test(pair[0].analysis));
	subject_judge(&pair[0], NULL);
	assert_int_equal(kind_total(&pair[0], "recovery-error"), 1);
	assert_null(pair[0].result->untested);
	assert_null(pair[0].result->unproven);
	assert_false(pair[0].result->tests_left);
	assert_string_equal(pair[0].report, again);
	free(again);
	subject_begin(&pair[1]);
	subject_read(&pair[1]);
	subject_judge(&pair[1], NULL);
	assert_int_equal(kind_total(&pair[1], "recovery-crash"), 1);
	assert_int_equal(kind_total(&pair[1], "recovery-error"), 0);
	for (int i = 0; i < 2; i++) {
		subject_end(&pair[i]);
		subject_free(&pair[i]);
	}
}

/* Both are under way at any time. */
static void test_interleaved(void **state)
{
	struct subject pair[2];
	char *alone[2];

	subjects_make(pair, *state);
	for (int i = 0; i < 2; i++)
		alone[i] = report_alone(&pair[i]);
	assert_string_not_equal(alone[0], alone[1]);
	subject_begin(&pair[0]);
	subject_begin(&pair[1]);
	subject_read(&pair[1]);
	subject_read(&pair[0]);
	subject_judge(&pair[0], NULL);
	subject_judge(&pair[1], NULL);
	for (int i = 0; i < 2; i++) {
		assert_string_equal(pair[i].report, alone[i]);
		subject_end(&pair[i]);
		subject_free(&pair[i]);
		free(alone[i]);
	}
}

static void *subject_thread(void *arg)
{
	struct subject *s = arg;

	subject_begin(s);
	subject_read(s);
	subject_judge(s, NULL);
	return NULL;
}

static void test_threads(void **state)
{
	struct subject pair[2];
	pthread_t threads[2];
	char *alone[2];

	subjects_make(pair, *state);
	for (int i = 0; i < 2; i++)
		alone[i] = report_alone(&pair[i]);
	for (int round = 0; round < ROUNDS; round++) {
		for (int i = 0; i < 2; i++)
			assert_int_equal(pthread_create(&threads[i], NULL, subject_thread, &pair[i]), 0);
		for (int i = 0; i < 2; i++) {
			pthread_join(threads[i], NULL);
			assert_string_equal(pair[i].report, alone[i]);
			subject_end(&pair[i]);
		}
	}
	for (int i = 0; i < 2; i++) {
		subject_free(&pair[i]);
		free(alone[i]);
	}
}

/* One is stopped; the other goes on. */
static void test_stop(void **state)
{
	struct subject pair[2];
	char *alone;

	subjects_make(pair, *state);
	alone = report_alone(&pair[1]);
	pair[0].engine.fake.stop_after = 1;
	subject_begin(&pair[0]);
	subject_begin(&pair[1]);
	subject_read(&pair[0]);
	subject_judge(&pair[0], NULL);
	assert_true(pair[0].result->tests_left);
	subject_read(&pair[1]);
	subject_judge(&pair[1], NULL);
	assert_false(pair[1].result->tests_left);
	assert_string_equal(pair[1].report, alone);
	for (int i = 0; i < 2; i++) {
		subject_end(&pair[i]);
		subject_free(&pair[i]);
	}
	free(alone);
}

/* Recovery fails without a crash: crash states are not tested, but what the detectors saw is reported. */
static void test_untested(void **state)
{
	const struct analysis_facts facts = {.untested = "the program itself failed", .warning = "it proves nothing"};
	struct subject s;

	subject_make(&s, *state, "broken", "a b <b | $", fails, "patterns,inject");
	subject_begin(&s);
	subject_read(&s);
	subject_judge(&s, NULL);
	assert_non_null(s.result->untested);
	assert_int_equal(s.result->untested->status, ERR_TARGET);
	assert_true(has_note(&s, "crash states were not tested: "));
	assert_true(kind_total(&s, "missing-flush") + kind_total(&s, "transient-data") > 0);
	subject_end(&s);

	/* The caller knows that they cannot be tested. */
	subject_begin(&s);
	subject_read(&s);
	subject_judge(&s, &facts);
	assert_null(s.result->untested);
	assert_true(has_note(&s, "crash states were not tested: the program itself failed"));
	assert_int_equal(s.result->findings->warnings.count, 1);
	assert_string_equal(s.result->findings->warnings.at[0], "it proves nothing");
	assert_int_equal(s.engine.fake.runs.count, 0);
	subject_end(&s);

	/* Without a recovery command there is nothing to test. */
	s.options.testing.recover = NULL;
	subject_begin(&s);
	subject_read(&s);
	assert_false(analysis_will_test(s.analysis));
	subject_judge(&s, NULL);
	assert_null(s.result->untested);
	assert_false(has_note(&s, "crash states were not tested"));
	subject_end(&s);
	subject_free(&s);
}

/* Mistakes in the options are found before anything is read. */
static void test_options(void **state)
{
	const char *files[] = {"/nowhere/missing.supp"};
	struct subject s;

	subject_make(&s, *state, "options", "a <a | $", fails, "patterns");
	s.options.suppress = files;
	s.options.suppress_count = 1;
	assert_int_equal(analysis_new(&s.analysis, &s.options, &s.err), -1);
	assert_int_equal(s.err.status, ERR_USAGE);
	assert_non_null(strstr(s.err.sentence, "/nowhere/missing.supp"));
	analysis_free(s.analysis);
	s.options.suppress_count = 0;
	s.options.testing.recover = "/nowhere/recover";
	assert_int_equal(analysis_new(&s.analysis, &s.options, &s.err), -1);
	assert_int_equal(s.err.status, ERR_USAGE);
	analysis_free(s.analysis);
	subject_free(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		scratch_test(test_alone), scratch_test(test_interleaved), scratch_test(test_threads),
		scratch_test(test_stop),  scratch_test(test_untested),    scratch_test(test_options),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
