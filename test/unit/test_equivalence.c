/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_equivalence.c - the oracle that compares outputs (equivalence/equivalence.h), with campaigns on small recordings
 * (counters.h); test_equivalence_random.c has random ones.
 *
 *  1. A correct program passes; operations that are lost, done by half or in the wrong order are found.
 *  2. A crash between operations, before the first and after the last.
 *  3. --lag, --probe, --ops-after.
 *  4. Lines that orderly runs print differently do not count.
 *  5. Where an orderly run fails, or operations overlap, outputs are not judged.  Crash states that fail as orderly
 *     contents do are one result, which blames no store.
 *  6. The recorded run, and campaigns that are resumed. */
#include <string.h>

#include "counters.h"

static size_t mismatches_in(const char *dir, const char *program, const char *operations)
{
	size_t counts[2];
	struct subject s;

	subject_start(&s, dir, program, operations);
	subject_run(&s, ENGINE_INJECT);
	counts[0] = mismatches(&s);
	subject_run(&s, ENGINE_EXPLORE);
	counts[1] = mismatches(&s);
	assert_int_equal(counts[0] > 0, counts[1] > 0);
	subject_free(&s);
	return counts[0];
}

/* Rules 1 and 2 */

static void test_found(void **state)
{
	/* correct */
	assert_int_equal(mismatches_in(*state, "[0 a <a | ]0 [1 b <b | ]1 [2 ]2 $", "s a\ns b\ng a\n"), 0);
	/* the first is lost during the second */
	assert_int_equal(mismatches_in(*state, "[0 a ]0 [1 b <b | ]1 <a | [2 ]2 $", "s a\ns b\ng a\n"), 1);
	/* done by half */
	assert_int_equal(mismatches_in(*state, "[0 a <a | b <b | ]0 [1 ]1 [2 ]2 $", "p ab\ng a\ng b\n"), 1);
	/* both in one line: not both at once, but in order */
	assert_int_equal(mismatches_in(*state, "[0 a <a | ]0 c <c | [1 a <a | ]1 [2 ]2 $", "s a\ns a\ng a\n"), 0);
}

/* What the report says. */
static void test_told(void **state)
{
	struct subject s;

	subject_start(&s, *state, "[0 a ]0 [1 b <b | ]1 <a | [2 ]2 [3 ]3 $", "s a\ns b\ng b\ng a\n");
	subject_run(&s, ENGINE_INJECT);
	assert_int_equal(mismatches(&s), 1);
	const struct crash_sighting *told = &s.engine.campaign->results.all.at[0].sighting;
	assert_true(told->operation.known);
	assert_true(told->operation.inside);
	assert_int_equal(told->operation.index, 1);
	assert_string_equal(told->operation.text, "s b");
	assert_int_equal(told->mismatch.expected_count, 2);
	assert_string_equal(told->mismatch.expected[0].line, "a=1");
	assert_string_equal(told->mismatch.got, "a=0");
	assert_int_equal(told->mismatch.line, 2);
	assert_string_equal(told->mismatch.query, "g a");
	assert_int_equal(told->lost_count, 1);
	assert_int_equal(told->blamed, engine_place(&s.engine, "a"));
	assert_false(told->mismatch.endless);
	subject_free(&s);
}

static void test_told_endless(void **state)
{
	struct subject s;

	subject_start(&s, *state, "[0 a <a | a <a | ]0 [1 ]1 $", "p ab\ng a\n");
	s.endless_at = 1;
	subject_run(&s, ENGINE_INJECT);
	assert_int_equal(mismatches(&s), 1);
	const struct crash_sighting *told = &s.engine.campaign->results.all.at[0].sighting;
	assert_true(told->mismatch.endless);
	assert_string_equal(told->mismatch.got, "and on");
	subject_free(&s);
}

/* Between operations, before the first and after the last. */
static void test_between(void **state)
{
	/* stored after the operation has ended, which changes nothing for it */
	assert_int_equal(mismatches_in(*state, "[0 a <a | ]0 b <b | [1 ]1 $", "s a\ng a\n"), 0);
	/* lost after it has ended */
	assert_int_equal(mismatches_in(*state, "[0 a ]0 b <b | <a | [1 ]1 $", "s a\ng a\n"), 1);
	/* before the first: what was stored then may be there or not, but not half of it */
	assert_int_equal(mismatches_in(*state, "a <a | [0 ]0 [1 ]1 $", "g a\ng b\n"), 0);
	assert_int_equal(mismatches_in(*state, "a <a | b <b | [0 ]0 [1 ]1 $", "g a\ng b\n"), 1);
	/* after the last, nothing is left to perform */
	assert_int_equal(mismatches_in(*state, "[0 a ]0 b <b | $", "s a\n"), 0);
}

/* Rule 3 */

static void test_lag(void **state)
{
	struct subject s;

	subject_start(&s, *state, "[0 a ]0 [1 a ]1 c <c | <a | [2 ]2 $", "s a\ns a\ng a\n");
	for (uint64_t lag = 0; lag <= 2; lag++) {
		s.options.lag = lag;
		subject_run(&s, ENGINE_EXPLORE);
		assert_int_equal(mismatches(&s) > 0, lag < 2);
	}
	subject_free(&s);
}

static void test_probe(void **state)
{
	struct subject s;

	/* Nothing that is left asks for a. */
	subject_start(&s, *state, "[0 a ]0 [1 b <b | ]1 <a | $", "s a\ns b\n");
	subject_run(&s, ENGINE_INJECT);
	assert_int_equal(mismatches(&s), 0);
	subject_probe(&s, "g a\ng b\n");
	subject_run(&s, ENGINE_INJECT);
	assert_int_equal(mismatches(&s), 1);
	subject_free(&s);
}

static void test_ops_after(void **state)
{
	struct subject s;

	subject_start(&s, *state, "[0 a ]0 [1 b <b | ]1 <a | [2 ]2 [3 ]3 $", "s a\ns b\ng b\ng a\n");
	s.options.after = 1;
	subject_run(&s, ENGINE_INJECT);
	assert_int_equal(mismatches(&s), 0);
	s.options.after = 2;
	subject_run(&s, ENGINE_INJECT);
	assert_int_equal(mismatches(&s), 1);
	subject_free(&s);
}

/* Rule 4 */

static void test_masked(void **state)
{
	struct subject s;

	subject_start(&s, *state, "[0 a <a | ]0 [1 b <b | ]1 [2 ]2 $", "s a\ns b\ng a\n");
	s.prints_clock = true;
	s.banner = "kv 1.0\n";
	subject_run(&s, ENGINE_EXPLORE);
	assert_int_equal(mismatches(&s), 0);
	struct equivalence_figures f = equivalence_figures(s.equivalence);
	assert_int_equal(f.total, 3);
	assert_int_equal(f.crashed_in, 2);
	assert_int_equal(f.nondeterministic, 2);
	subject_free(&s);
	subject_start(&s, *state, "[0 a ]0 [1 b <b | ]1 <a | [2 ]2 $", "s a\ns b\ng a\n");
	s.prints_clock = true;
	subject_run(&s, ENGINE_EXPLORE);
	assert_int_equal(mismatches(&s), 1);
	subject_free(&s);
}

/* A line that is there only in one run.  Orderly runs show it, and it is masked; or a crash state shows it, and does not
 * show it again, which is counted. */
static void test_late(void **state)
{
	unsigned flaky = 0, runs = 2;
	struct subject s;

	subject_start(&s, *state, "[0 c a <c <a | ]0 [1 c b <c <b | ]1 [2 c a <c <a | ]2 [3 ]3 $",
		      "s a\ns b\ns a\ng a\n");
	for (s.odd_run = 1; s.odd_run < runs; s.odd_run++) {
		s.runs = 0;
		subject_run(&s, ENGINE_EXPLORE);
		if (mismatches(&s))
			fail_msg("run %u becomes a finding", s.odd_run);
		flaky += s.engine.campaign->results.flaky > 0;
		runs = s.runs;
	}
	assert_true(runs > 20);
	assert_true(flaky > 2);
	subject_free(&s);
}

/* Rule 5 */

static void test_failing(void **state)
{
	struct subject s;

	subject_start(&s, *state, "[0 a <a | ]0 [1 b <b | ]1 [2 a <a | ]2 [3 ]3 $", "s a\ns b\ns a\ng a\n");
	s.fails_at = 1;
	s.engine.options.resume = true;
	/* The second time all of it is in the journal. */
	for (unsigned i = 0; i < 2; i++) {
		subject_run(&s, i ? ENGINE_INJECT : ENGINE_BOTH);
		assert_int_equal(s.engine.campaign->results.all.count, 1);
		const struct crash_sighting *told = &s.engine.campaign->results.all.at[0].sighting;
		assert_int_equal(told->kind, KIND_RECOVERY_ERROR);
		assert_int_equal(told->cause, CAUSE_ORDERLY);
		assert_int_equal(told->blamed, 0);
		assert_int_equal(told->lost_count + told->persisted_count, 0);
	}
	subject_run(&s, ENGINE_EXPLORE);
	struct equivalence_figures f = equivalence_figures(s.equivalence);
	assert_true(f.failing > 0 && f.failing < f.places);
	assert_int_equal(f.failing_first.index, 0);
	assert_true(ending_same(f.failing_ending, FAKE_FAIL));
	subject_free(&s);
	/* Contents on which recovery fails only after a crash have a store to blame. */
	subject_start(&s, *state, "[0 a <a | a <a | ]0 [1 ]1 $", "s a\ng a\n");
	s.fails_at = 1;
	subject_run(&s, ENGINE_BOTH);
	assert_int_equal(s.engine.campaign->results.all.count, 1);
	assert_int_equal(s.engine.campaign->results.all.at[0].sighting.kind, KIND_RECOVERY_ERROR);
	assert_int_equal(s.engine.campaign->results.all.at[0].sighting.blamed, engine_place(&s.engine, "a"));
	assert_int_equal(equivalence_figures(s.equivalence).failing, 0);
	subject_free(&s);
}

/* The results, and how many places could not be judged. */
static size_t overlapping_in(const char *dir, const char *program, const char *operations, uint64_t *unjudged)
{
	size_t count;
	struct subject s;

	subject_start(&s, dir, program, operations);
	subject_run(&s, ENGINE_EXPLORE);
	count = mismatches(&s);
	*unjudged = equivalence_figures(s.equivalence).overlapping;
	subject_free(&s);
	return count;
}

static void test_overlapping(void **state)
{
	uint64_t unjudged;

	/* Each may have happened or not. */
	assert_int_equal(overlapping_in(*state, "[0 a [1 b <b | ]1 <a | ]0 [2 ]2 [3 ]3 $", "s a\ns b\ng a\ng b\n",
					&unjudged),
			 0);
	assert_int_equal(unjudged, 0);
	assert_int_equal(overlapping_in(*state, "[0 [1 a b <b <a | ]1 ]0 [2 ]2 [3 ]3 $", "s a\ns b\ng a\ng b\n",
					&unjudged),
			 0);
	assert_int_equal(unjudged, 0);
	/* Of the first, all or nothing. */
	assert_true(overlapping_in(*state, "[0 a <a | [1 c <c | ]1 b <b | ]0 [2 ]2 [3 ]3 $", "p ab\ns c\ng a\ng b\n",
				   &unjudged) > 0);
	assert_int_equal(unjudged, 0);
	/* The second has ended, and is lost. */
	assert_true(overlapping_in(*state, "[0 a [1 b ]1 c <c | <b <a | ]0 [2 ]2 [3 ]3 $", "s a\ns b\ng a\ng b\n",
				   &unjudged) > 0);
	assert_int_equal(unjudged, 0);
	/* What the program does is not what recovery would do. */
	assert_int_equal(overlapping_in(*state, "[0 a <a | [1 c <c | ]1 b <b | ]0 [2 ]2 [3 ]3 $",
					"s a\ns c\ng a\ng b\n", &unjudged),
			 0);
	assert_true(unjudged > 0);
	/* Too many. */
	assert_int_equal(overlapping_in(*state, "[0 [1 [2 [3 [4 a <a | ]4 ]3 ]2 ]1 b <b | ]0 [5 ]5 $",
					"p ab\ng c\ng c\ng c\ng c\ng a\n", &unjudged),
			 0);
	assert_true(unjudged > 0);
}

/* ---- rule 6 of equivalence.h: the recorded run ---- */

/* The second operation is held in volatile memory: what the run prints later is not what recovery prints. */
static void test_volatile(void **state)
{
	struct subject s;
	struct output *printed;

	for (unsigned i = 0; i < 2; i++) {
		enum engine_strategies which = i ? ENGINE_EXPLORE : ENGINE_INJECT;

		subject_start(&s, *state, "[0 a <a | ]0 [1 ]1 [2 a <a | ]2 [3 ]3 $", "s a\ns b\ns a\ng b\n");
		subject_run(&s, which);
		assert_int_equal(mismatches(&s), 0);
		printed = printed_by(&s, "a=1\nb=1\na=2\nb=1\n");
		s.options.printed = printed;
		subject_run(&s, which);
		assert_int_equal(mismatches(&s), 1);
		const struct crash_sighting *told = &s.engine.campaign->results.all.at[0].sighting;
		assert_true(told->mismatch.recorded);
		assert_false(told->operation.inside);
		assert_int_equal(told->operation.index, 1);
		assert_string_equal(told->mismatch.expected[0].line, "b=1");
		assert_string_equal(told->mismatch.got, "b=0");
		assert_string_equal(told->mismatch.query, "g b");
		assert_int_equal(told->states, 2);
		output_free(printed);
		subject_free(&s);
		/* crash states between operations where recovery forgets: no store is to blame for that */
		subject_start(&s, *state, "[0 a <a | ]0 [1 ]1 c <c | c <c | [2 a <a | ]2 [3 ]3 $",
			      "s a\ns b\ns a\ng b\n");
		printed = printed_by(&s, "a=1\nb=1\na=2\nb=1\n");
		s.options.printed = printed;
		subject_run(&s, which);
		assert_int_equal(mismatches(&s), 1);
		assert_int_equal(s.engine.campaign->results.all.at[0].sighting.cause, CAUSE_ORDERLY);
		assert_int_equal(s.engine.campaign->results.all.at[0].sighting.blamed, 0);
		output_free(printed);
		/* a recovery that prints in another way cannot be compared with the run */
		printed = printed_by(&s, "a is 1\nb is 1\na is 2\nb is 1\n");
		s.options.printed = printed;
		assert_false(equivalence_figures(s.equivalence).unlike_run);
		subject_run(&s, which);
		assert_int_equal(mismatches(&s), 0);
		assert_true(equivalence_figures(s.equivalence).unlike_run);
		subject_free(&s);
		output_free(printed);
	}
	/* correct */
	subject_start(&s, *state, "[0 a <a | ]0 [1 b <b | ]1 [2 a <a | ]2 [3 ]3 $", "s a\ns b\ns a\ng b\n");
	s.options.printed = printed = printed_by(&s, "a=1\nb=1\na=2\nb=1\n");
	subject_run(&s, ENGINE_BOTH);
	assert_int_equal(mismatches(&s), 0);
	subject_free(&s);
	output_free(printed);
}

/* A campaign that is resumed needs expectations only where recovery runs again: before the first operation, and where it
 * shows a failure. */
static void test_resume(void **state)
{
	size_t submitted[2] = {0};
	struct subject s;

	subject_start(&s, *state, "[0 a <a | ]0 [1 b <b | ]1 [2 a ]2 [3 b <b | ]3 <a | [4 ]4 $",
		      "s a\ns b\ns a\ns b\ng a\n");
	s.engine.options.resume = true;
	for (unsigned i = 0; i < 2; i++) {
		subject_run(&s, ENGINE_EXPLORE);
		assert_int_equal(mismatches(&s), 1);
		for (size_t k = 0; k < s.engine.fake.runs.count; k++)
			submitted[i] += s.engine.fake.runs.at[k].submitted;
		assert_int_equal(equivalence_figures(s.equivalence).crashed_in, 4);
		assert_int_equal(equivalence_figures(s.equivalence).places, i ? 2 : 6);
	}
	assert_true(submitted[1] < submitted[0]);
	subject_free(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		scratch_test(test_found),    scratch_test(test_told),        scratch_test(test_told_endless),
		scratch_test(test_late),     scratch_test(test_between),     scratch_test(test_lag),
		scratch_test(test_probe),    scratch_test(test_ops_after),   scratch_test(test_masked),
		scratch_test(test_failing),  scratch_test(test_overlapping), scratch_test(test_resume),
		scratch_test(test_volatile),
	};

	return cmocka_run_group_tests_name("equivalence", tests, NULL, NULL);
}
