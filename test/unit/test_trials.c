/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_trials.c - known outcomes and their journal; how trials are judged.
 *
 * A run is written with one word for each trial: which state, its content, its outcome.
 *
 *     aA.    all persisted, content A, passes          nB3    only what is guaranteed, content B, exit status 3
 *     aC!    killed by a signal                        nD?    not tested
 *     cA3    as a, inside a library's create call
 *     ,      the next moment; a and n of the same moment stand together */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "crash/trials.h"
#include "scratch.h"

static struct digest digest_of(char content)
{
	return (struct digest){(uint64_t)content * 77, (uint64_t)content};
}

/* Nothing here depends on the context of a crash. */
static const struct crash_context nowhere;
static struct oracles *oracles;

static struct verdict verdict_on(enum ending_kind kind, int value)
{
	return oracles_judge(oracles, &(struct outcome){.ending = {kind, value}}, &nowhere);
}

static struct verdict verdict_from(char outcome)
{
	if (outcome == '?')
		return (struct verdict){0};
	return outcome == '!' ? verdict_on(ENDING_SIGNAL, 11)
			      : verdict_on(ENDING_EXIT, outcome == '.' ? 0 : outcome - '0');
}

struct run {
	struct trials trials;
	struct outcomes *outcomes;
	struct jobs jobs;
	struct map seen;
	struct judgement found;
};

static void run_read(struct run *r, const char *words)
{
	uint64_t event = 10;

	for (; *words; words++) {
		if (*words == ',') {
			event += 10;
			continue;
		}
		struct trial trial = {
			.which = words[0] == 'n' ? TRIAL_NONE : TRIAL_ALL,
			.creating = words[0] == 'c',
			.guaranteed = words[0] == 'n',
			.digest = digest_of(words[1]),
			.event = event,
			.lost = 5,
		};
		struct verdict verdict = verdict_from(words[2]);

		if (verdict.known)
			outcomes_set(r->outcomes, trial.digest, verdict);
		vec_push(&r->trials.all, trial);
		words += 2;
	}
}

static void run_judge(struct run *r, char initial, const char *words)
{
	struct err err;

	*r = (struct run){0};
	assert_int_equal(outcomes_open(&r->outcomes, NULL, &(struct outcomes_options){.oracles = oracles}, &err), 0);
	run_read(r, words);
	trials_accept(&r->trials, r->outcomes, verdict_from(initial));
	trials_judge(&r->trials, r->outcomes, 0, &r->jobs, &(struct judge_seen){.own = &r->seen}, &r->found);
	jobs_prune(&r->jobs);
}

static void run_free(struct run *r)
{
	outcomes_close(r->outcomes);
	vec_free(&r->trials.all);
	vec_free(&r->jobs.all);
	map_free(&r->seen);
	map_free(&r->found.contents);
}

/* Jobs as "a10-20x2": which, start, event, states.  "=20" after it: it follows the prefix of event 20. */
static void expect(char initial, const char *words, const char *expected)
{
	struct run r;
	char text[256] = "";

	run_judge(&r, initial, words);
	for (size_t i = 0; i < r.jobs.all.count; i++) {
		const struct job *job = &r.jobs.all.at[i];

		sprintf(text + strlen(text), "%s%c%d-%dx%d", i ? " " : "", job->trial->which == TRIAL_ALL ? 'a' : 'n',
			(int)job->start, (int)job->trial->event, (int)job->states);
		for (size_t k = 0; job->follows && k < r.jobs.all.count; k++)
			if (digest_equal(r.jobs.all.at[k].digest, job->prefix))
				sprintf(text + strlen(text), "=%d", (int)r.jobs.all.at[k].trial->event);
	}
	assert_string_equal(text, expected);
	run_free(&r);
}

static void test_jobs(void **state)
{
	(void)state;
	expect('.', "aA.nB.,aC.", "");
	expect('.', "aA.,aB3", "a10-20x1");
	expect('.', "aA3", "a0-10x1");
	/* Two runs of failing prefixes.  The second prefix of a run may have a cause of its own. */
	expect('.', "aA.,aB3,aC3,aD.,aE3", "a10-20x1 a20-30x1=20 a40-50x1");
	expect('.', "aA.,aB3,aC!", "a10-20x1 a20-30x1"); /* they fail in different ways */
	expect('.', "aA.nB3", "n10-10x1");               /* the loss is the cause */
	expect('.', "aA3nB3", "a0-10x1 n10-10x1=10");    /* all persisted fails too: that may be the cause */
	expect('.', "aA!nB3", "a0-10x1 n10-10x1");
	expect('.', "aA.nB3,aC.nD3,aE.nF4", "n10-10x2 n30-30x1"); /* the same code and the same outcome */
	expect('.', "aA.nB3,aC.nB3", "n10-10x1");                 /* the same content */
	expect('.', "aA.nB?", "");
	expect('3', "aA3nB3,aC3nD.", "a10-20x1");
	/* rule 5: failures that continue after a create call are another job, which starts there */
	expect('.', "aA.,cB3,cC3,aD3,aE3", "a10-20x1 a20-30x1=20 a40-40x1 a40-50x1=40");
	expect('.', "aA.,aB3,cC3,aD3", "a10-20x1 a20-30x1=20 a30-40x1=20"); /* unless they began before the call */
}

static void expect_found(char initial, const char *words, uint64_t distinct, uint64_t tested, uint64_t failed,
			 uint64_t accepted)
{
	struct run r;

	run_judge(&r, initial, words);
	assert_int_equal(r.found.distinct, distinct);
	assert_int_equal(r.found.tested, tested);
	assert_int_equal(r.found.failed, failed);
	assert_int_equal(r.found.accepted, accepted);
	run_free(&r);
}

static void test_creation(void **state)
{
	(void)state;
	expect_found('3', "aA3nB3,aC.nD3,aE.nF.,aG3", 7, 7, 1, 3); /* until the guaranteed content passes */
	expect_found('3', "aA4nB3", 2, 2, 1, 1);                   /* a different outcome is not the same */
	expect_found('!', "aA!nB!", 2, 2, 2, 0);                   /* a crash is never accepted */
	expect_found('.', "aA3", 1, 1, 1, 0);
	expect_found('3', "aA3,aB.,aC3", 3, 3, 0, 2); /* B holds more than what is guaranteed */
	expect_found('.', "aA.nA.,aA.nB?", 2, 1, 0, 0);
	expect_found('3', "aA3nB3,aC3nD.", 4, 4, 1, 2);     /* at the moment of D, creation is over */
	expect_found('3', "aA3nB3,aC.nD.,aA3", 4, 4, 1, 1); /* A is accepted first, but fails later */
}

/* The same contents on another platform count once, but are explained there too. */
static void test_platforms(void **state)
{
	struct run r;
	struct jobs jobs = {0};

	(void)state;
	run_judge(&r, '.', "aA.nB3");
	map_free(&r.seen);
	trials_judge(&r.trials, r.outcomes, 0, &jobs, &(struct judge_seen){.own = &r.seen}, &r.found);
	assert_int_equal(r.found.distinct, 2);
	assert_int_equal(r.found.failed, 1);
	assert_int_equal(jobs.all.count, 1);
	assert_int_equal(jobs.all.at[0].states, 1);
	vec_free(&jobs.all);
	run_free(&r);
}

/* A state that another strategy has met is still a job, but adds nothing new; a state that was not run does not
 * count. */
static void test_strategies(void **state)
{
	struct run r;
	struct jobs jobs = {0};
	struct map seen = {0};
	struct contents run = {0};

	(void)state;
	run_judge(&r, '.', "aA.nB3,aC3");
	contents_add(&run, digest_of('B'));
	trials_judge(&r.trials, r.outcomes, 1, &jobs, &(struct judge_seen){&seen, &r.seen, &run}, &r.found);
	jobs_prune(&jobs);
	assert_int_equal(r.found.failed, 2);
	assert_int_equal(jobs.all.count, 1);
	assert_int_equal(jobs.all.at[0].states, 1);
	assert_int_equal(jobs.all.at[0].fresh, 0);
	contents_free(&run);
	vec_free(&jobs.all);
	map_free(&seen);
	run_free(&r);
}

static struct outcomes *journal_open(const char *path, bool resume, const char *depends, double timeout)
{
	const struct outcomes_options how = {.oracles = oracles,
					     .depends = depends,
					     .timeout = timeout,
					     .resume = resume};
	struct outcomes *outcomes;
	struct err err;

	assert_int_equal(outcomes_open(&outcomes, path, &how, &err), 0);
	return outcomes;
}

static struct verdict journal_verdict(const char *path, bool resume, const char *depends, char content)
{
	struct outcomes *outcomes = journal_open(path, resume, depends, 1);
	struct verdict verdict;

	verdict = outcomes_get(outcomes, digest_of(content));
	outcomes_close(outcomes);
	return verdict;
}

static void test_journal(void **state)
{
	char path[512];
	struct outcomes *outcomes;
	FILE *file;

	snprintf(path, sizeof(path), "%s/journal", (const char *)*state);
	outcomes = journal_open(path, true, "a", 1);
	assert_false(outcomes_claim(outcomes, digest_of('A'), &nowhere));
	assert_true(outcomes_claim(outcomes, digest_of('A'), &nowhere));
	assert_false(outcomes_get(outcomes, digest_of('A')).known);
	outcomes_set(outcomes, digest_of('A'), verdict_from('3'));
	outcomes_set(outcomes, digest_of('B'), verdict_from('!'));
	outcomes_close(outcomes);

	/* A line that was cut off is ignored. */
	file = fopen(path, "a");
	fputs("00000000", file);
	fclose(file);
	assert_true(verdict_same(journal_verdict(path, true, "a", 'A'), verdict_from('3')));
	outcomes = journal_open(path, true, "a", 1);
	outcomes_drop(outcomes, digest_of('A'));
	assert_false(outcomes_get(outcomes, digest_of('A')).known);
	assert_true(outcomes_claim(outcomes, digest_of('A'), &nowhere));
	outcomes_close(outcomes);
	assert_true(verdict_same(journal_verdict(path, true, "a", 'B'), verdict_from('!')));
	assert_false(journal_verdict(path, true, "a", 'C').known);
	/* Other recovery commands have other outcomes. */
	assert_false(journal_verdict(path, true, "b", 'A').known);
	assert_false(journal_verdict(path, true, "a", 'A').known);
}

static void test_journal_anew(void **state)
{
	char path[512];
	struct outcomes *outcomes;
	struct err err;

	snprintf(path, sizeof(path), "%s/journal", (const char *)*state);
	outcomes = journal_open(path, false, "a", 1);
	outcomes_set(outcomes, digest_of('A'), verdict_from('3'));
	outcomes_close(outcomes);
	assert_false(journal_verdict(path, false, "a", 'A').known);
	assert_int_equal(outcomes_open(&outcomes, "/nowhere/at/all",
				       &(struct outcomes_options){.oracles = oracles, .depends = "a"}, &err),
			 -1);
}

/* More time may change the outcome only of a trial that timed out; less time changes nothing. */
static void test_journal_timeout(void **state)
{
	char path[512];
	struct outcomes *outcomes;

	snprintf(path, sizeof(path), "%s/journal", (const char *)*state);
	outcomes = journal_open(path, false, "a", 2);
	outcomes_set(outcomes, digest_of('A'), verdict_from('3'));
	outcomes_set(outcomes, digest_of('B'), verdict_on(ENDING_TIMEOUT, 0));
	outcomes_close(outcomes);
	for (double timeout = 2; timeout > 0.4; timeout /= 2) {
		outcomes = journal_open(path, true, "a", timeout);
		assert_true(outcomes_get(outcomes, digest_of('A')).known);
		assert_true(outcomes_get(outcomes, digest_of('B')).known);
		outcomes_close(outcomes);
	}
	outcomes = journal_open(path, true, "a", 2);
	assert_true(outcomes_get(outcomes, digest_of('A')).known);
	assert_false(outcomes_get(outcomes, digest_of('B')).known);
	outcomes_close(outcomes);
}

static void expect_known(const char *path, bool a, bool b)
{
	assert_int_equal(journal_verdict(path, true, "a", 'A').known, a);
	assert_int_equal(journal_verdict(path, true, "a", 'B').known, b);
}

/* Passes that were not confirmed count until one of them proves wrong, and the next session knows both. */
static void test_journal_unconfirmed(void **state)
{
	struct verdict unconfirmed = verdict_from('.');
	struct outcomes *outcomes;
	char path[512];

	snprintf(path, sizeof(path), "%s/journal", (const char *)*state);
	unconfirmed.unconfirmed = true;
	outcomes = journal_open(path, false, "a", 1);
	outcomes_set(outcomes, digest_of('A'), unconfirmed);
	outcomes_set(outcomes, digest_of('B'), verdict_from('.'));
	outcomes_close(outcomes);
	expect_known(path, true, true);
	outcomes = journal_open(path, true, "a", 1);
	assert_false(outcomes_are_distrusted(outcomes));
	outcomes_distrust(outcomes);
	outcomes_close(outcomes);
	expect_known(path, false, true);

	outcomes = journal_open(path, true, "a", 1);
	assert_true(outcomes_are_distrusted(outcomes));
	assert_true(outcomes_is_doubtful(outcomes, digest_of('A')));
	assert_false(outcomes_is_doubtful(outcomes, digest_of('B')));
	assert_false(outcomes_claim(outcomes, digest_of('A'), &nowhere));
	assert_true(outcomes_claim(outcomes, digest_of('A'), &nowhere));
	outcomes_set(outcomes, digest_of('A'), verdict_from('.'));
	outcomes_close(outcomes);
	expect_known(path, true, true);
}

/* A journal of version 4 is the same without them. */
static void test_journal_before(void **state)
{
	struct outcomes *outcomes;
	char path[512];
	FILE *file;

	snprintf(path, sizeof(path), "%s/journal", (const char *)*state);
	outcomes = journal_open(path, false, "a", 1);
	outcomes_set(outcomes, digest_of('A'), verdict_from('3'));
	outcomes_close(outcomes);
	file = fopen(path, "r+");
	fseek(file, (long)strlen("blackout-journal "), SEEK_SET);
	fputc('4', file);
	fclose(file);
	assert_true(verdict_same(journal_verdict(path, true, "a", 'A'), verdict_from('3')));
}

/* Creation is over at the first moment whose guaranteed content passes. */
static void expect_created(const char *words, uint64_t event)
{
	struct run r;

	run_judge(&r, '1', words);
	assert_int_equal(trials_created(&r.trials, r.outcomes), event);
	run_free(&r);
}

static void test_created(void **state)
{
	(void)state;
	expect_created("aA.nB1,aC.nA.", 20);
	expect_created("aA.nB1,aC.nD1", UINT64_MAX);
	expect_created("aA1nB1,aC.nD?,aE.nC.", 30);
	expect_created("", UINT64_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_jobs),
		cmocka_unit_test(test_creation),
		cmocka_unit_test(test_platforms),
		cmocka_unit_test(test_strategies),
		cmocka_unit_test(test_created),
		scratch_test(test_journal),
		scratch_test(test_journal_anew),
		scratch_test(test_journal_timeout),
		scratch_test(test_journal_unconfirmed),
		scratch_test(test_journal_before),
	};

	oracles = oracles_new(NULL, 0);
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	oracles_free(oracles);
	return failed;
}
