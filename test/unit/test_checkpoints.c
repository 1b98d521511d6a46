/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_checkpoints.c - how many checkpoints a recovery has, by its memory; where; and when they are used.
 *
 * It reads a word of each page of a file, perhaps twice.  On the states here, only the last one differs, or one that is read
 * in the second round. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>

#include "crash/checkpoints.h"

enum { PAGES = 40, BYTES = PAGES * PROFILE_PAGE, ROOM = 1000, ROUNDS = 4, STATES = 30, PAGE = 20, SECOND = 64 };

static const struct checkpoints_moment now = {.workers = 1, .left = -1};
static uint8_t bytes[BYTES];
static struct profile_file file = {bytes, BYTES, true};

static struct profile *profile_make(uint64_t rounds, bool closed)
{
	struct profile *p = profile_new(&file, 1);

	for (uint64_t round = 0; round < rounds; round++)
		for (uint64_t page = 0; page < PAGES; page++)
			profile_load(p, 0, page * PROFILE_PAGE + round * SECOND, 8, PROFILE_ORDERED);
	if (closed)
		profile_close(p);
	profile_end(p, &file);
	return p;
}

static void events_make(struct walk_event events[PAGES])
{
	for (uint64_t i = 0; i < PAGES; i++)
		events[i] = (struct walk_event){WALK_TOUCH, 0, i * PROFILE_PAGE, PROFILE_PAGE, (i + 1) * 1000000};
}

/* Runs until a walk is to leave checkpoints, or for a while.  Returns how many that are. */
static size_t stops_planned(uint64_t memory)
{
	struct checkpoints *k = checkpoints_new(1, "/nowhere", ROOM);
	const struct outcome outcome = {.seconds = 1, .memory = memory, .mode = RECOVERY_FORK};
	const struct stage_view view = {.files = &file, .count = 1};
	struct walk_event events[PAGES];
	struct checkpoints_worker worker = {0};
	size_t count = 0;

	events_make(events);
	bytes[BYTES - PROFILE_PAGE] = 0;
	assert_true(checkpoints_wants_profile(k, &now));
	checkpoints_learn(k, profile_make(1, false), 1);
	for (int i = 0; i < ROUNDS && !count; i++) {
		struct checkpoints_choice choice = checkpoints_choose(k, &worker, &view, 0);

		count = choice.plan ? choice.plan->count : 0;
		checkpoints_ran(k, &worker, &outcome, &(struct checkpoints_walk){events, PAGES, true});
		bytes[BYTES - PROFILE_PAGE] = (uint8_t)(i + 1);
	}
	checkpoints_free(k);
	return count;
}

static void test_room(void **state)
{
	(void)state;
	/* Two are left for reads that differ often. */
	assert_int_equal(stops_planned(0), CHECKPOINTS_MAX - 2);
	assert_int_equal(stops_planned(1), CHECKPOINTS_MAX - 2);
	assert_int_equal(stops_planned(ROOM / 4), 2);
	assert_int_equal(stops_planned(ROOM / 3), 1);
	assert_int_equal(stops_planned(ROOM), 1);
	assert_int_equal(stops_planned(ROOM + 1), 0);
}

/* The visits after which a checkpoint is left, if many states differ at one read of the second round. */
static uint32_t visits_planned(bool closed, bool differ)
{
	struct checkpoints *k = checkpoints_new(1, "/nowhere", ROOM);
	const struct outcome outcome = {.seconds = 1, .mode = RECOVERY_FORK};
	const struct stage_view view = {.files = &file, .count = 1};
	struct checkpoints_worker worker = {0};
	struct walk_event events[PAGES];
	uint32_t visits = 0;

	events_make(events);
	bytes[PAGE * PROFILE_PAGE + SECOND] = 0;
	assert_true(checkpoints_wants_profile(k, &now));
	checkpoints_learn(k, profile_make(2, closed), 1);
	for (int i = 0; i < STATES; i++) {
		struct checkpoints_choice choice = checkpoints_choose(k, &worker, &view, 0);

		for (size_t n = 0; choice.plan && n < choice.plan->count; n++)
			if (choice.plan->stops[n].visits) {
				assert_int_equal(choice.plan->stops[n].event, PAGES - 1);
				visits = choice.plan->stops[n].visits;
			}
		checkpoints_ran(k, &worker, &outcome, &(struct checkpoints_walk){events, PAGES, !closed});
		bytes[PAGE * PROFILE_PAGE + SECOND] = differ ? (uint8_t)(i + 1) : 0;
	}
	checkpoints_free(k);
	return visits;
}

static void test_visits(void **state)
{
	(void)state;
	assert_int_equal(visits_planned(false, true), PAGE + 1);
	assert_int_equal(visits_planned(true, true), PAGE + 1);
	assert_int_equal(visits_planned(true, false), 0);
}

/* States differ at one of two reads of the second round, by turns: there is a stop before each. */
static void test_visits_of_two(void **state)
{
	static const uint64_t pages[] = {PAGE + 5, PAGE};
	struct checkpoints *k = checkpoints_new(1, "/nowhere", ROOM);
	const struct outcome outcome = {.seconds = 1, .mode = RECOVERY_FORK};
	const struct stage_view view = {.files = &file, .count = 1};
	struct checkpoints_worker worker = {0};
	struct checkpoints_choice choice;
	struct walk_event events[PAGES];
	const struct checkpoint_plan *plan = NULL;

	(void)state;
	events_make(events);
	checkpoints_learn(k, profile_make(2, true), 1);
	for (int i = 0; i < 2 * STATES; i++) {
		uint8_t *byte = &bytes[pages[i % 2] * PROFILE_PAGE + SECOND];

		*byte ^= (uint8_t)(i > 0);
		choice = checkpoints_choose(k, &worker, &view, 0);
		plan = choice.plan ? choice.plan : plan;
		checkpoints_ran(k, &worker, &outcome, &(struct checkpoints_walk){events, PAGES, false});
		*byte = 0;
	}
	assert_non_null(plan);
	assert_true(plan->count > 2);
	for (size_t i = 0; i < 2; i++) {
		const struct checkpoint_stop *stop = &plan->stops[plan->count - 2 + i];

		assert_int_equal(stop->event, PAGES - 1);
		assert_int_equal(stop->visits, pages[1 - i] + 1);
	}
	checkpoints_free(k);
}

/* A state of which recovery reads another byte at `page`: a walk on it leaves checkpoints only before that.  Returns their
 * number; *last: the touch that the last one is before. */
static unsigned stops_left(uint64_t page, size_t *last)
{
	struct checkpoints *k = checkpoints_new(1, "/nowhere", ROOM);
	const struct outcome outcome = {.seconds = 1, .mode = RECOVERY_FORK};
	const struct stage_view view = {.files = &file, .count = 1};
	struct checkpoints_worker worker = {0}, other = {0};
	struct checkpoints_choice choice;
	struct walk_event events[PAGES];
	unsigned stops;

	events_make(events);
	checkpoints_learn(k, profile_make(1, false), 1);
	choice = checkpoints_choose(k, &worker, &view, 0);
	assert_true(choice.walks && !choice.plan);
	checkpoints_ran(k, &worker, &outcome, &(struct checkpoints_walk){events, PAGES, true});
	bytes[page * PROFILE_PAGE] ^= 1;
	choice = checkpoints_choose(k, &other, &view, 0);
	bytes[page * PROFILE_PAGE] ^= 1;
	stops = choice.walks ? choice.stops : 0;
	*last = stops ? choice.plan->stops[stops - 1].event : 0;
	assert_true(!stops || stops == choice.plan->count || choice.plan->stops[stops].event > page);
	checkpoints_free(k);
	return stops;
}

static void test_other_walk(void **state)
{
	unsigned all, some;
	size_t last;

	(void)state;
	all = stops_left(PAGES - 1, &last);
	assert_true(all > 2 && last == PAGES - 1);
	some = stops_left(PAGES / 2, &last);
	assert_true(some > 0 && some < all && last <= PAGES / 2);
	assert_int_equal(stops_left(0, &last), 0);
}

enum { RUNS = 4000, LAST = 100, STOPS = 3 };
#define FROM_START 0.040

/* How many of the last runs begin at a checkpoint.  From there they take so many seconds, the first `busy` ones as long as from
 * the start. */
static unsigned runs_shortened(double seconds, unsigned busy)
{
	struct checkpoints *k = checkpoints_new(1, "/nowhere", ROOM);
	const struct stage_view view = {.files = &file, .count = 1};
	struct checkpoints_worker worker = {0};
	struct walk_event events[PAGES];
	unsigned shortened = 0, last = 0;

	events_make(events);
	bytes[BYTES - PROFILE_PAGE] = 0;
	checkpoints_learn(k, profile_make(1, true), 1);
	for (unsigned i = 0; i < RUNS; i++) {
		struct checkpoints_choice choice = checkpoints_choose(k, &worker, &view, STOPS);
		struct outcome outcome = {.seconds = FROM_START, .mode = RECOVERY_FORK, .from = choice.from};

		if (choice.from) {
			outcome.seconds = worker.skipped + (shortened < busy ? FROM_START : seconds);
			shortened++;
			last += i >= RUNS - LAST;
		}
		checkpoints_ran(k, &worker, &outcome, &(struct checkpoints_walk){events, PAGES, false});
		bytes[BYTES - PROFILE_PAGE] = 1;
	}
	checkpoints_free(k);
	return last;
}

/* They are used if they save time, also if they did not at first.  If they do not, it is tried now and then. */
static void test_worth(void **state)
{
	(void)state;
	assert_int_equal(runs_shortened(FROM_START / 2, 0), LAST);
	assert_int_equal(runs_shortened(FROM_START / 2, 50), LAST);
	assert_in_range(runs_shortened(FROM_START, 0), 1, LAST / 20);
}

/* Recoveries that take 0.1 s each, and recordings that are all cut off.  Returns how many there were; *first: what recoveries
 * had taken before the first one. */
static unsigned recordings_cut(const struct checkpoints_moment *when, double until, double *first)
{
	struct checkpoints *k = checkpoints_new(1, "/nowhere", ROOM);
	const struct outcome outcome = {.seconds = 0.1 * when->workers, .mode = RECOVERY_FORK};
	struct checkpoints_worker worker = {0};
	double recorded = 0, budget = 0;
	unsigned count = 0;

	for (double recovered = 0; recovered < until; recovered += 0.1) {
		if (checkpoints_wants_profile(k, when)) {
			assert_true(checkpoints_budget(k) >= 2 * budget);
			budget = checkpoints_budget(k);
			recorded += budget;
			*first = count++ ? *first : recovered;
			assert_true(recorded <= recovered / 2 + 0.76);
			checkpoints_learn(k, profile_make(0, true), budget);
		}
		checkpoints_ran(k, &worker, &outcome, NULL);
	}
	assert_false(checkpoints_choose(k, &worker, &(struct stage_view){.files = &file, .count = 1}, 0).walks);
	checkpoints_free(k);
	return count;
}

/* All recordings together take at most half of the time of recoveries, and 0.75 s, whatever comes of them; each that is cut
 * off may take twice as long as the one before. */
static void test_budget(void **state)
{
	const struct checkpoints_moment slow = {.workers = 1, .start = 0.1, .left = -1},
					two = {.workers = 2, .left = -1};
	double first = 0, later = 0;

	(void)state;
	assert_int_equal(recordings_cut(&now, 1, &first), 0);
	assert_int_equal(recordings_cut(&now, 5, &first), 1);
	assert_in_range(10 * first, 15, 17);
	assert_in_range(recordings_cut(&now, 1000, &first), 5, 10);
	/* Other workers have to wait. */
	assert_in_range(recordings_cut(&two, 1000, &later), 5, 10);
	assert_in_range(10 * later, 15, 17);
	/* A program whose start is long takes much longer under the recorder. */
	assert_int_equal(recordings_cut(&slow, 58, &later), 0);
	assert_int_equal(recordings_cut(&slow, 60, &later), 1);
}

/* What a recording has shown before it was cut off is used, unless an earlier one has shown more. */
static void test_cut(void **state)
{
	struct checkpoints *k = checkpoints_new(1, "/nowhere", ROOM);
	const struct outcome outcome = {.seconds = 10, .mode = RECOVERY_FORK};
	const struct stage_view view = {.files = &file, .count = 1};

	(void)state;
	for (uint64_t rounds = 0; rounds < 3; rounds++) {
		struct checkpoints_worker worker = {0};

		for (int i = 0; i < 100 && !checkpoints_wants_profile(k, &now); i++)
			checkpoints_ran(k, &worker, &outcome, NULL);
		checkpoints_learn(k, profile_make(rounds == 1, true), checkpoints_budget(k));
		assert_int_equal(checkpoints_choose(k, &worker, &view, 0).walks, rounds > 0);
	}
	assert_int_equal(checkpoints_figures(k).recordings, 3);
	checkpoints_free(k);
}

static int early(void **state)
{
	(void)state;
	return setenv("BLACKOUT_CHECKPOINTS_EARLY", "1", 1);
}

static int not_early(void **state)
{
	(void)state;
	return unsetenv("BLACKOUT_CHECKPOINTS_EARLY");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_room, early),          cmocka_unit_test_setup(test_visits, early),
		cmocka_unit_test_setup(test_visits_of_two, early), cmocka_unit_test_setup(test_other_walk, early),
		cmocka_unit_test_setup(test_worth, not_early),     cmocka_unit_test_setup(test_budget, not_early),
		cmocka_unit_test_setup(test_cut, not_early),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
