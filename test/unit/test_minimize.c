/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_minimize.c - the fewest lost stores, on many small random programs, both platforms, compared with all legal
 * sets.
 *
 * After each event some random units are declared essential: recovery fails if all of them are lost.  The result must
 * be legal, lose these units, and lose no more stores than the best legal set that does so and tears no store. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "base/random.h"
#include "explain/minimize.h"
#include "model_sets.h"
#include "programs.h"
#include "scratch.h"

#define PROGRAMS 4000
#define UNITS 16

struct check {
	struct model *model;
	const struct unit *const *units;
	size_t count;
	bool essential[UNITS];
	size_t least; /* stores lost */
	unsigned tried;
};

static bool loses_essential(const struct check *c, const bool *persisted)
{
	for (size_t i = 0; i < c->count; i++)
		if (c->essential[i] && persisted[i])
			return false;
	return true;
}

static size_t stores_lost(const struct check *c, const bool *persisted)
{
	size_t lost = 0;
	uint64_t event = 0;

	for (size_t i = 0; i < c->count; i++)
		if (!persisted[i] && c->units[i]->event != event) {
			event = c->units[i]->event;
			lost++;
		}
	return lost;
}

static bool tears_store(const struct check *c, const bool *persisted)
{
	for (size_t i = 1; i < c->count; i++)
		if (c->units[i]->event == c->units[i - 1]->event && persisted[i] != persisted[i - 1])
			return true;
	return false;
}

static int fails(void *arg, const bool *persisted)
{
	struct check *c = arg;

	assert_true(model_allows(c->model, persisted));
	c->tried++;
	return loses_essential(c, persisted);
}

static bool visit(void *arg, const bool *persisted, size_t count)
{
	struct check *c = arg;
	size_t lost;

	(void)count;
	if (!loses_essential(c, persisted) || tears_store(c, persisted))
		return true;
	lost = stores_lost(c, persisted);
	c->least = lost < c->least ? lost : c->least;
	return true;
}

static void check_moment(struct model *model, uint64_t *seed)
{
	struct check c = {.model = model, .least = SIZE_MAX};
	bool persisted[UNITS] = {false};
	unsigned left = 1000;

	c.units = model_pending(model, &c.count);
	if (!c.count || c.count > UNITS)
		return;
	c.essential[random_next(seed) % c.count] = true;
	c.essential[random_next(seed) % c.count] = true;
	model_enumerate(model, visit, &c);
	assert_int_equal(minimize_lost(model, persisted, &left, fails, &c), 0);
	assert_int_equal(left, 1000 - c.tried);
	assert_true(model_allows(model, persisted));
	assert_true(loses_essential(&c, persisted));
	assert_int_equal(stores_lost(&c, persisted), c.least);

	/* With no trials left, nothing is tried. */
	memset(persisted, 0, sizeof(persisted));
	c.tried = left = 0;
	assert_int_equal(minimize_lost(model, persisted, &left, fails, &c), 0);
	assert_int_equal(c.tried, 0);
	assert_int_equal(stores_lost(&c, persisted), stores_lost(&c, (bool[UNITS]){false}));
}

static void test_random(void **state)
{
	struct program program;
	uint64_t seed = 1;

	(void)state;
	for (uint64_t number = 0; number < PROGRAMS; number++) {
		struct model *model = model_new(platform_at(number % 2), MODEL_STATES, NULL, NULL);

		program_make(&program, 1, number);
		for (size_t i = 0; i < program.count; i++) {
			model_apply(model, &program.events[i]);
			check_moment(model, &seed);
		}
		model_free(model);
	}
}

static int stop(void *arg, const bool *persisted)
{
	(void)arg;
	(void)persisted;
	return -2;
}

/* A request to stop is obeyed, and the result so far is valid. */
static void test_stop(void **state)
{
	struct program program;
	bool persisted[64] = {false};
	unsigned left = 100;
	size_t count;

	(void)state;
	for (uint64_t number = 0;; number++) {
		struct model *model = model_new(platform_find("adr"), MODEL_STATES, NULL, NULL);

		program_make(&program, 1, number);
		for (size_t i = 0; i < program.count; i++)
			model_apply(model, &program.events[i]);
		model_pending(model, &count);
		if (count > 3 && count < 64) {
			assert_int_equal(minimize_lost(model, persisted, &left, stop, NULL), -2);
			assert_false(persisted[0]);
			model_free(model);
			return;
		}
		model_free(model);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_stop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
