/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Findings whose reason is a likely invariant: their kind and words, what is one finding, and the reports. */
#include <stdlib.h>
#include <string.h>

#include "crash_sample.h"
#include "report/reader.h"
#include "scratch.h"

/* `first` at 0x80 is lost, `second` at 0x40 is on media. */
struct pair {
	struct crash_store first, second;
	struct crash_invariant invariant;
};

static struct pair pair_make(const char *rule, uint32_t first, uint32_t second)
{
	struct pair pair = {
		.first = crash_sample_store(first, AT_FLUSH, 0x80),
		.second = crash_sample_store(second, 0, 0x40),
		.invariant = {.rule = rule,
			      .first = first,
			      .second = second,
			      .because = {{.role = ROLE_GUARD, .context = AT_FENCE},
					  {.role = ROLE_LOAD, .context = AT_FLUSH},
					  {.role = ROLE_GUARD, .context = AT_FENCE}},
			      .because_count = 3,
			      .seen = 412},
	};

	pair.second.needed = true;
	return pair;
}

static struct crash_sighting pair_sighting(const struct pair *pair)
{
	static const char *const detectors[] = {"invariants"};
	struct crash_sighting sighting = crash_sample_sighting(&pair->second, &pair->first);

	sighting.detectors = detectors;
	sighting.invariant = &pair->invariant;
	sighting.pair = true;
	return sighting;
}

static void expect_text(const struct findings *f, enum report_format format, const char *part)
{
	char *text = crash_sample_report(format, f);

	if (!strstr(text, part))
		fail_msg("'%s' is not in:\n%s", part, text);
	free(text);
}

/* The words of each rule. */
static void test_words(void **state)
{
	static const struct {
		const char *rule, *message;
		enum finding_kind kind;
	} cases[] = {
		{"RO1",
		 "what kv+0x30 stores is computed from what is stored here (read at kv+0x40), so it should not be on media before "
		 "this store; but it can be, and recovery then fails",
		 KIND_ORDERING_VIOLATION},
		{"RO2",
		 "the store at kv+0x30 depends on a decision about what is stored here (read at kv+0x40), so it should not be on "
		 "media before this store; but it can be, and recovery then fails",
		 KIND_ORDERING_VIOLATION},
		{"RO3",
		 "kv+0x40 reads what is stored here only after kv+0x50 has looked at what kv+0x30 stores, so the latter should not be "
		 "on media before this store; but it can be, and recovery then fails",
		 KIND_ORDERING_VIOLATION},
		{"RA1",
		 "what is stored here decides which other data is read (at kv+0x50), and so does what kv+0x30 stores, so both should "
		 "be on media, or neither; but kv+0x30 can be there without this store, and recovery then fails",
		 KIND_ATOMICITY_VIOLATION},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct crash_sample s = crash_sample_make(*state);
		const struct pair pair = pair_make(cases[i].rule, AT_STORE, AT_OTHER);
		const struct crash_sighting sighting = pair_sighting(&pair);

		crash_add(s.crash, &sighting);
		crash_end(s.crash);
		assert_int_equal(s.findings->count, 1);
		assert_int_equal(s.findings->at[0].kind, cases[i].kind);
		assert_int_equal(s.findings->at[0].severity, SEVERITY_ERROR);
		assert_string_equal(s.findings->at[0].message, cases[i].message);
		assert_string_equal(
			s.findings->at[0].fix,
			i < 3 ? "fence after the flush at kv+0x40, before the store at kv+0x30"
			      : "change what is stored at kv+0x20 and at kv+0x30 in one transaction, or log the "
				"change first: recovery needs both or neither");
		crash_sample_free(&s);
	}
}

/* The same branch twice is one place; a related place has its role. */
static void test_places(void **state)
{
	struct crash_sample s = crash_sample_make(*state);
	const struct pair pair = pair_make("RO3", AT_STORE, AT_OTHER);
	const struct crash_sighting sighting = pair_sighting(&pair);
	const struct finding *finding;

	crash_add(s.crash, &sighting);
	crash_end(s.crash);
	finding = &s.findings->at[0];
	assert_int_equal(finding->invariant->because_count, 2);
	assert_int_equal(finding->invariant->seen, 412);
	assert_int_equal(finding->related_count, 4);
	assert_int_equal(finding->related[0].role, ROLE_STORE);
	assert_int_equal(finding->related[1].role, ROLE_FLUSH);
	assert_int_equal(finding->related[2].role, ROLE_GUARD);
	assert_int_equal(finding->related[3].role, ROLE_LOAD);
	expect_text(s.findings, REPORT_TEXT,
		    "F1  ordering-violation  kv+0x20  (error, 12 states)\n"
		    "    kv+0x40 reads what is stored here");
	expect_text(s.findings, REPORT_TEXT, "    invariant: RO3, seen 412 times: guard at kv+0x50, load at kv+0x40\n");
	expect_text(s.findings, REPORT_JUNIT, "invariant: RO3, seen 412 times: guard at kv+0x50, load at kv+0x40\n");
	expect_text(s.findings, REPORT_HTML, "<h3>the invariant, RO3, seen 412");
	expect_text(s.findings, REPORT_HTML, ">only then</text>");
	expect_text(s.findings, REPORT_SARIF, "\"ruleId\": \"ordering-violation\"");
	crash_sample_free(&s);
}

/* An output that differs is said to be one. */
static void test_outputs(void **state)
{
	struct crash_sample s = crash_sample_make(*state);
	const struct pair pair = pair_make("RO3", AT_STORE, AT_OTHER);
	struct crash_sighting sighting = crash_sample_mismatch(&pair.second, &pair.first);

	sighting.invariant = &pair.invariant;
	sighting.pair = true;
	crash_add(s.crash, &sighting);
	crash_end(s.crash);
	assert_int_equal(s.findings->at[0].kind, KIND_ORDERING_VIOLATION);
	assert_non_null(strstr(s.findings->at[0].message, "; but it can be, and recovery then prints wrong output"));
	crash_sample_free(&s);
}

/* What inject found without knowing a reason is the same finding, whoever comes first. */
static void test_merged(void **state)
{
	for (unsigned later = 0; later < 2; later++) {
		struct crash_sample s = crash_sample_make(*state);
		const struct pair pair = pair_make("RO3", AT_STORE, AT_OTHER);
		const struct crash_sighting with = pair_sighting(&pair),
					    without = crash_sample_sighting(&pair.second, &pair.first);

		crash_add(s.crash, later ? &without : &with);
		crash_add(s.crash, later ? &with : &without);
		crash_end(s.crash);
		assert_int_equal(s.findings->count, 1);
		assert_int_equal(s.findings->at[0].kind, KIND_ORDERING_VIOLATION);
		assert_int_equal(s.findings->at[0].detector_count, 2);
		assert_int_equal(s.findings->at[0].count, 24);
		assert_non_null(strstr(s.findings->at[0].message, "should not be on media before this store"));
		crash_sample_free(&s);
	}
}

/* A pair that fails both ways is one finding, which orders if one of them does. */
static void test_both_ways(void **state)
{
	static const struct {
		const char *there, *back;
		enum finding_kind kind;
	} cases[] = {{"RA1", "RA1", KIND_ATOMICITY_VIOLATION},
		     {"RA1", "RO3", KIND_ORDERING_VIOLATION},
		     {"RO2", "RA1", KIND_ORDERING_VIOLATION}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct crash_sample s = crash_sample_make(*state);
		const struct pair there = pair_make(cases[i].there, AT_STORE, AT_OTHER),
				  back = pair_make(cases[i].back, AT_OTHER, AT_STORE);
		const struct crash_sighting one = pair_sighting(&there), other = pair_sighting(&back);

		crash_add(s.crash, &one);
		crash_add(s.crash, &other);
		crash_end(s.crash);
		assert_int_equal(s.findings->count, 1);
		assert_int_equal(s.findings->at[0].kind, cases[i].kind);
		assert_int_equal(s.findings->at[0].count, 24);
		assert_non_null(strstr(s.findings->at[0].fix, "in one transaction, or log the change first"));
		crash_sample_free(&s);
	}
}

/* The second store came too early, before the first was made: the place is the first, and the loss of it is the same. */
static void test_early(void **state)
{
	for (unsigned loss = 0; loss < 2; loss++) {
		struct crash_sample s = crash_sample_make(*state);
		struct pair pair = pair_make("RO3", AT_STORE, AT_OTHER);
		struct crash_sighting early = pair_sighting(&pair), lost;

		pair.second.certain = true;
		early.cause = CAUSE_EARLY;
		early.lost_count = 0;
		early.pair = false;
		lost = pair_sighting(&pair);
		lost.pair = false;
		crash_add(s.crash, &early);
		if (loss)
			crash_add(s.crash, &lost);
		crash_end(s.crash);
		assert_int_equal(s.findings->count, 1);
		assert_int_equal(s.findings->at[0].kind, KIND_ORDERING_VIOLATION);
		assert_int_equal(stack_location(&s.findings->at[0].stack)->offset, 0x20);
		assert_int_equal(s.findings->at[0].related[0].role, ROLE_STORE);
		if (!loss)
			assert_string_equal(
				s.findings->at[0].fix,
				"persist what is stored at kv+0x20 before the store at kv+0x30, or change both in one transaction");
		crash_sample_free(&s);
	}
}

/* Code that only another recording has: its module and offset. */
static void test_elsewhere(void **state)
{
	struct crash_sample s = crash_sample_make(*state);
	const struct trace_module module = {.path = "/nowhere/recover", .size = 4096};
	struct pair pair = pair_make("RO3", AT_STORE, AT_OTHER);
	struct crash_sighting sighting;

	pair.invariant.because[1] =
		(struct crash_reason){.role = ROLE_LOAD, .module = &module, .offset = 0x123, .caller = false};
	sighting = pair_sighting(&pair);
	crash_add(s.crash, &sighting);
	crash_end(s.crash);
	assert_non_null(
		strstr(s.findings->at[0].message, "recover+0x123 reads what is stored here only after kv+0x50"));
	crash_sample_free(&s);
}

static struct findings *read_back(const struct findings *f)
{
	char *json = crash_sample_report(REPORT_JSON, f);
	struct findings *again;
	struct err err;

	if (findings_parse(&again, "x.json", json, strlen(json), &err) < 0)
		fail_msg("%s", err.sentence);
	free(json);
	return again;
}

/* Writing, reading and writing again gives the same result, in every format. */
static void test_read_back(void **state)
{
	struct crash_sample s = crash_sample_make(*state);
	const struct pair pair = pair_make("RO3", AT_STORE, AT_OTHER);
	const struct crash_sighting sighting = pair_sighting(&pair);
	struct findings *first_time, *again;

	crash_add(s.crash, &sighting);
	crash_end(s.crash);
#define X(name) s.findings->stats.invariants.name = figure_known(7);
	FINDINGS_INVARIANTS(X)
#undef X
	first_time = read_back(s.findings); /* it has no more than what is in the file */
	again = read_back(first_time);
	for (unsigned format = 0; format < REPORT_COUNT; format++) {
		char *first = crash_sample_report((enum report_format)format, first_time);
		char *second = crash_sample_report((enum report_format)format, again);

		assert_string_equal(first, second);
		free(first);
		free(second);
	}
	assert_int_equal(again->stats.invariants.confirmed.value, 7);
	assert_string_equal(again->at[0].invariant->rule, "RO3");
	assert_int_equal(again->at[0].invariant->because_count, 2);
	findings_free(first_time);
	findings_free(again);
	crash_sample_free(&s);
}

/* What is damaged is refused with the name of the member. */
static void test_refused(void **state)
{
	static const char *const cases[][3] = {
		{"\"rule\": \"RO3\"", "\"rule\": \"RO9\"", "invariant.rule is not known to this version"},
		{"\"seen\": 412", "\"seen\": -1", "seen"},
		{"\"because\": [", "\"because\": 7, \"x\": [", "because"},
		{"\"first\": {", "\"first\": 3, \"y\": {", "invariant contains something that is not a location"},
	};
	struct crash_sample s = crash_sample_make(*state);
	const struct pair pair = pair_make("RO3", AT_STORE, AT_OTHER);
	const struct crash_sighting sighting = pair_sighting(&pair);
	struct findings *again;
	struct err err;

	crash_add(s.crash, &sighting);
	crash_end(s.crash);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char *json = crash_sample_report(REPORT_JSON, s.findings), *at = strstr(json, cases[i][0]),
		     *changed = NULL;

		assert_non_null(at);
		assert_true(asprintf(&changed, "%.*s%s%s", (int)(at - json), json, cases[i][1],
				     at + strlen(cases[i][0])) > 0);
		assert_int_equal(findings_parse(&again, "x.json", changed, strlen(changed), &err), -1);
		if (!strstr(err.sentence, cases[i][2]))
			fail_msg("%s", err.sentence);
		free(changed);
		free(json);
	}
	crash_sample_free(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		scratch_test(test_words),     scratch_test(test_places),    scratch_test(test_outputs),
		scratch_test(test_merged),    scratch_test(test_both_ways), scratch_test(test_early),
		scratch_test(test_elsewhere), scratch_test(test_read_back), scratch_test(test_refused),
	};

	return cmocka_run_group_tests_name("invariant_finding", tests, NULL, NULL);
}
