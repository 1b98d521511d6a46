/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_coverage.c - the sentence in the summary about what was tested (report/coverage.h). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "finding/finding.h"
#include "report/coverage.h"

/* A run of explore, on a program with one thread, that tested everything. */
static struct findings *explored(uint64_t segments)
{
	struct findings *f = findings_new();

	f->target.recover = "check";
	f->stats.threads = figure_known(1);
	f->stats.complete = figure_known(1);
	f->stats.crash_states.tested = figure_known(100);
	f->stats.segments.total = f->stats.segments.unique = f->stats.segments.explored = figure_known(segments);
	f->stats.segments.left_out = f->stats.segments.partial = f->stats.segments.untested = figure_known(0);
	return f;
}

static void expect(struct findings *f, const char *expected)
{
	char text[COVERAGE_MAX];

	coverage_text(f, text);
	assert_string_equal(text, expected);
}

static void everything(void **state)
{
	struct findings *f = explored(90);

	(void)state;
	expect(f, "Every crash state that can matter was tested.");
	findings_free(f);
}

static void left_out(void **state)
{
	struct findings *f = explored(90);

	(void)state;
	f->stats.segments.unique = f->stats.segments.explored = figure_known(33);
	f->stats.segments.left_out = figure_known(57);
	expect(f, "33 of 90 segments run different code; all of these were explored completely.");
	f->stats.complete = figure_known(0);
	f->stats.segments.explored = figure_known(30);
	f->stats.segments.partial = figure_known(3);
	expect(f, "Not all crash states were tested. 33 of 90 segments run different code; 30 of these were explored "
		  "completely, 3 partly.");
	f->stats.segments.explored = figure_known(1);
	f->stats.segments.untested = figure_known(29);
	expect(f, "Not all crash states were tested. 33 of 90 segments run different code; 1 of these was explored "
		  "completely, 3 partly, 29 not at all.");
	/* --representatives 2 */
	f->stats.segments.unique = figure_known(20);
	expect(f,
	       "Not all crash states were tested. 33 of 90 segments were chosen by the code that they run; 1 of these was "
	       "explored completely, 3 partly, 29 not at all.");
	findings_free(f);
}

static void cut_short(void **state)
{
	struct findings *f = explored(2);

	(void)state;
	f->stats.complete = figure_known(0);
	f->stats.segments.explored = f->stats.segments.untested = figure_known(1);
	expect(f, "Not all crash states were tested. Of 2 segments, 1 was explored completely, 1 not at all.");
	findings_free(f);
}

static void threads(void **state)
{
	struct findings *f = explored(4);

	(void)state;
	f->stats.threads = figure_known(2);
	expect(f, "All 4 segments were explored completely. Other interleavings of the threads were not tested.");
	findings_free(f);
}

static void narrowed(void **state)
{
	struct findings *f = explored(4);

	(void)state;
	f->stats.segments.explored = figure_known(3);
	f->stats.segments.untested = figure_known(1);
	vec_push(&f->narrowed, "--after init");
	expect(f, "Of 4 segments, 3 were explored completely, 1 not at all. Testing was limited by --after init.");
	f->stats.segments.explored.known = false;
	vec_push(&f->narrowed, "--points 3-9");
	expect(f, "Every chosen failure point was tested. Testing was limited by --after init and --points 3-9.");
	findings_free(f);
}

static void nested(void **state)
{
	struct findings *f = explored(1);

	(void)state;
	f->stats.nested.states = figure_known(1200);
	f->stats.nested.crashed = figure_known(100);
	expect(f,
	       "Every state of a single crash that can matter was tested. Recovery itself was crashed on 100 of 1 200 crash states.");
	findings_free(f);
}

static void without_explore(void **state)
{
	struct findings *f = explored(0);

	(void)state;
	f->stats.segments.explored.known = false;
	expect(f, "Every failure point was tested.");
	f->stats.complete = figure_known(0);
	expect(f, "Not all crash states were tested.");
	f->stats.crash_states.tested.known = false;
	expect(f, "Crash states were not tested.");
	f->target.recover = NULL;
	expect(f, "Crash states were not tested: --recover was not given.");
	f->stats.crash_states.feasible = figure_known(7);
	expect(f, "Crash states were counted, not tested: --recover was not given.");
	findings_free(f);
}

/* Recovery was only watched: nothing was tested. */
static void races(void **state)
{
	struct findings *f = findings_new();

	(void)state;
	f->target.recover = "check";
	f->stats.complete = figure_known(1);
	f->stats.crash_states.tested = figure_known(0);
	f->stats.races.recoveries = figure_known(1);
	f->stats.races.crash_points = figure_known(1200);
	f->stats.races.stores = figure_known(0);
	expect(f, "For races, recovery was recorded on 1 state of 1 200 crash points: no store races.");
	f->stats.races.stores = figure_known(1);
	expect(f, "For races, recovery was recorded on 1 state of 1 200 crash points: 1 store races.");
	f->stats.races.stores = figure_known(2);
	f->stats.failure_points.unique = figure_known(3);
	expect(f,
	       "Every failure point was tested. For races, recovery was recorded on 1 state of 1 200 crash points: 2 "
	       "stores race.");
	/* None that could be recorded: nothing is known of races. */
	f->stats.races.recoveries = figure_known(0);
	f->stats.races.stores = figure_known(0);
	expect(f, "Every failure point was tested. Races were not looked for: no recovery was recorded.");
	findings_free(f);
}

static void invariants(void **state)
{
	struct findings *f = explored(0);

	(void)state;
	f->stats.segments.explored.known = false;
	f->stats.invariants.ordering = figure_known(1190);
	f->stats.invariants.atomicity = figure_known(10);
	f->stats.invariants.violable = figure_known(0);
	f->stats.invariants.tested = f->stats.invariants.confirmed = figure_known(0);
	expect(f, "Of 1 200 likely invariants, a crash can violate 0.");
	f->stats.invariants.violable = figure_known(7);
	f->stats.invariants.tested = figure_known(5);
	f->stats.invariants.confirmed = figure_known(1);
	expect(f,
	       "Of 1 200 likely invariants, a crash can violate 7; 5 were tested, and violating 1 of them makes recovery fail.");
	f->stats.failure_points.unique = figure_known(3);
	expect(f,
	       "Every failure point was tested. Of 1 200 likely invariants, a crash can violate 7; 5 were tested, and "
	       "violating 1 of them makes recovery fail.");
	f->target.recover = NULL;
	f->stats.invariants.tested.known = false;
	expect(f,
	       "Crash states were not tested: --recover was not given. Of 1 200 likely invariants, a crash can violate "
	       "7.");
	findings_free(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(everything),      cmocka_unit_test(left_out),   cmocka_unit_test(cut_short),
		cmocka_unit_test(threads),         cmocka_unit_test(narrowed),   cmocka_unit_test(nested),
		cmocka_unit_test(without_explore), cmocka_unit_test(invariants), cmocka_unit_test(races),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
