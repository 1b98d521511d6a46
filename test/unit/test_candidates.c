/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_candidates.c - finds the states of a moment that are furthest apart (crash/candidates.h).  The moments have one
 * pending store in each line, so a state is a mask of lines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "crash/candidates.h"

enum { LINES = 8 };

/* The units are pending in reverse sequence. */
static struct moment *moment_make(void)
{
	size_t bytes = sizeof(struct choices) + LINES * (sizeof(struct choices_line) + sizeof(struct choices_unit));
	struct moment *m = mem_alloc(sizeof(*m));
	struct choices_line *lines;
	struct choices_unit *units;

	m->choices = mem_alloc(bytes);
	*m->choices = (struct choices){.bytes = bytes, .line_count = LINES, .unit_count = LINES, .line_units_max = 1};
	m->lines = mem_alloc(LINES * sizeof(*m->lines));
	lines = (struct choices_line *)(m->choices + 1);
	units = (struct choices_unit *)(lines + LINES);
	for (uint32_t i = 0; i < LINES; i++) {
		lines[i] = (struct choices_line){.offset = i * 64, .file = 1, .first = i, .count = 1};
		units[i] = (struct choices_unit){.event = i + 1,
						 .offset = i * 64,
						 .value = {1},
						 .file = 1,
						 .pending = LINES - 1 - i,
						 .size = 8,
						 .shows = 0xff};
		m->lines[i].named = true;
		m->lines[i].path = 1;
	}
	uint8_t all[LINES];
	memset(all, 1, LINES);
	m->all = moment_digest(m, all);
	return m;
}

static void add(struct candidates *c, const struct moment *m, unsigned mask, unsigned touched, uint64_t sequence)
{
	uint8_t taken[LINES], flags[LINES];

	for (unsigned i = 0; i < LINES; i++) {
		taken[i] = mask >> i & 1;
		flags[i] = touched >> i & 1;
	}
	candidates_add(c, m, taken, flags, sequence);
}

static unsigned mask_of(const struct candidates *c, size_t index)
{
	unsigned mask = 0;

	for (unsigned i = 0; i < LINES; i++)
		mask |= (unsigned)c->all.at[index].taken[i] << i;
	return mask;
}

static void most_different_first(void **state)
{
	struct moment *m = moment_make();
	struct candidates c = {0};
	struct candidate_rank ranks[CANDIDATES_KEPT];
	static const unsigned masks[] = {0x01, 0x0f, 0x1f, 0xfe, 0xf0};
	static const struct {
		unsigned mask, difference;
	} expected[] = {{0x0f, 4}, {0xf0, 4}, {0x01, 1}, {0xfe, 1}, {0x1f, 1}};

	(void)state;
	/* Results may arrive in any sequence. */
	for (unsigned i = 5; i-- > 0;)
		add(&c, m, masks[i], 0xff, masks[i] == 0x1f ? 9 : i);
	assert_int_equal(candidates_rank(&c, ranks, CANDIDATES_KEPT), 5);
	for (unsigned i = 0; i < 5; i++) {
		assert_int_equal(mask_of(&c, ranks[i].index), expected[i].mask);
		assert_int_equal(ranks[i].difference, expected[i].difference);
	}
	assert_int_equal(candidates_rank(&c, ranks, 2), 2);
	candidates_free(&c);
	moment_free(m);
}

static void only_touched_lines_count(void **state)
{
	struct moment *m = moment_make();
	struct candidates c = {0};
	struct candidate_rank ranks[CANDIDATES_KEPT];

	(void)state;
	add(&c, m, 0xf1, 0x03, 1);
	add(&c, m, 0x71, 0x03, 2); /* recovery cannot distinguish it from the previous one */
	add(&c, m, 0xf0, 0x03, 3); /* nor this from the state with nothing on media */
	assert_int_equal(candidates_rank(&c, ranks, CANDIDATES_KEPT), 1);
	assert_int_equal(mask_of(&c, ranks[0].index), 0xf1);
	assert_int_equal(c.passing.count, 3);
	/* A line that recovery reads in any state counts in all of them. */
	add(&c, m, 0xf2, 0x80, 4);
	assert_int_equal(candidates_rank(&c, ranks, CANDIDATES_KEPT), 4);
	candidates_free(&c);
	moment_free(m);
}

static void extremes_and_repetitions_are_not_taken(void **state)
{
	struct moment *m = moment_make();
	struct candidates c = {0};

	(void)state;
	add(&c, m, 0x00, 0xff, 1);
	add(&c, m, 0xff, 0xff, 2);
	assert_int_equal(c.passing.count, 0);
	add(&c, m, 0x10, 0xff, 3);
	add(&c, m, 0x10, 0xff, 4);
	assert_int_equal(c.passing.count, 1);
	assert_int_equal(c.all.count, 1);
	candidates_free(&c);
	moment_free(m);
}

static void the_first_of_many_are_kept(void **state)
{
	struct moment *m = moment_make();
	struct candidates c = {0};
	struct candidate_rank ranks[CANDIDATES_KEPT];

	(void)state;
	for (unsigned mask = 254; mask > 0; mask--)
		add(&c, m, mask, 0xff, mask);
	assert_int_equal(c.passing.count, 254);
	assert_int_equal(c.all.count, CANDIDATES_KEPT);
	for (unsigned i = 0; i < CANDIDATES_KEPT; i++)
		assert_in_range(c.all.at[i].sequence, 1, CANDIDATES_KEPT);
	assert_int_equal(candidates_rank(&c, ranks, CANDIDATES_KEPT), CANDIDATES_KEPT);
	candidates_free(&c);
	moment_free(m);
}

static void flags_are_those_of_the_model(void **state)
{
	struct moment *m = moment_make();
	struct candidates c = {0};
	bool persisted[LINES];

	(void)state;
	add(&c, m, 0x03, 0xff, 1);
	candidates_persisted(&c, 0, persisted);
	for (unsigned i = 0; i < LINES; i++)
		assert_int_equal(persisted[i], i >= LINES - 2);
	candidates_free(&c);
	moment_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(most_different_first),
		cmocka_unit_test(only_touched_lines_count),
		cmocka_unit_test(extremes_and_repetitions_are_not_taken),
		cmocka_unit_test(the_first_of_many_are_kept),
		cmocka_unit_test(flags_are_those_of_the_model),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
