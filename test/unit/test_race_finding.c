/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Findings about persistency races: what is one finding, which sentence it has, and what is a library's own affair. */
#include <stdlib.h>
#include <string.h>

#include "crash_sample.h"
#include "finding/race_finding.h"
#include "scratch.h"

struct scene {
	struct crash_sample sample;
	struct code_stacks *stacks;
	struct race_findings *races;
};

static struct scene scene_make(const char *dir)
{
	struct scene s = {.sample = crash_sample_make(dir), .stacks = code_stacks_new()};

	crash_end(s.sample.crash);
	code_stacks_begin(s.stacks, s.sample.trace);
	s.races = race_findings_begin(s.sample.findings, s.sample.trace, s.sample.symbols, NULL);
	return s;
}

static void scene_free(struct scene *s)
{
	code_stacks_free(s->stacks);
	crash_sample_free(&s->sample);
}

/* A store of 8 bytes races with a load. */
static void race(struct scene *s, enum finding_form form, uint32_t store, uint32_t load, bool known)
{
	const struct code_stack *stack = code_stacks_at(s->stacks, code_stacks_add(s->stacks, load));
	const struct race_sighting sighting = {.form = form,
					       .detector = "races",
					       .platform = "adr",
					       .context = store,
					       .flush = AT_FLUSH,
					       .first = {1, 8, 0x40, 7},
					       .known = known,
					       .count = 2,
					       .loads = &stack,
					       .load_count = 1};

	race_findings_add(s->races, &sighting);
}

/* One finding for a place that stores, with all places that load; the most severe sighting describes it. */
static void test_grouped(void **state)
{
	struct scene s = scene_make(*state);
	const struct finding *f;

	race(&s, FORM_PERSISTENCY_RACE_PLAIN_UNFLUSHED, AT_STORE, AT_FENCE, true);
	race(&s, FORM_PERSISTENCY_RACE_TORN_UNPROVED, AT_STORE, AT_OTHER, true);
	race(&s, FORM_PERSISTENCY_RACE_PLAIN_UNFLUSHED, AT_STORE, AT_OTHER, true);
	race(&s, FORM_PERSISTENCY_RACE_PLAIN_UNFLUSHED, AT_OTHER, AT_STORE, true);
	race_findings_end(s.races);
	assert_int_equal(s.sample.findings->count, 2);
	f = &s.sample.findings->at[0];
	assert_int_equal(f->kind, KIND_PERSISTENCY_RACE);
	assert_int_equal(f->severity, SEVERITY_ERROR);
	assert_int_equal(f->count, 6);
	assert_int_equal(f->related_count, 3);
	assert_int_equal(f->related[0].role, ROLE_LOAD);
	assert_int_equal(f->related[1].role, ROLE_LOAD);
	assert_int_equal(f->related[2].role, ROLE_FLUSH);
	assert_non_null(strstr(f->message, "in several pieces"));
	assert_non_null(strstr(f->message, "the line is written back at"));
	assert_non_null(f->fix);
	assert_int_equal(s.sample.findings->at[1].severity, SEVERITY_WARNING);
	assert_non_null(strstr(s.sample.findings->at[1].message, "which a compiler may split"));
	scene_free(&s);
}

/* What a library stores for itself is reported if the program reads it, or if its compiler said what it is. */
static void test_library(void **state)
{
	struct scene s = scene_make(*state);

	race(&s, FORM_PERSISTENCY_RACE_TORN_UNFLUSHED, AT_LIBRARY, AT_LIBRARY, false);
	race_findings_end(s.races);
	assert_int_equal(s.sample.findings->count, 0);
	assert_int_equal(s.sample.findings->notes.count, 1);
	assert_non_null(strstr(s.sample.findings->notes.at[0], "1 place in libraries"));
	scene_free(&s);

	for (unsigned known = 0; known < 2; known++) {
		s = scene_make(*state);
		race(&s, FORM_PERSISTENCY_RACE_TORN_UNFLUSHED, AT_LIBRARY, known ? AT_LIBRARY : AT_STORE, known);
		race_findings_end(s.races);
		assert_int_equal(s.sample.findings->count, 1);
		assert_int_equal(s.sample.findings->notes.count, 0);
		assert_null(s.sample.findings->at[0].fix); /* there is nothing that the user could change */
		scene_free(&s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		scratch_test(test_grouped),
		scratch_test(test_library),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
