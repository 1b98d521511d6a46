/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Findings of crash states: reported, read back, and suppressed. */
#include <stdlib.h>
#include <string.h>

#include "crash_sample.h"
#include "finding/suppress.h"
#include "report/reader.h"
#include "scratch.h"

static void test_text(void **state)
{
	struct crash_sample s = crash_sample_make(*state);
	const struct crash_store kept = crash_sample_store(AT_OTHER, 0, 0x40),
				 lost = crash_sample_store(AT_STORE, AT_FLUSH, 0x80);
	const struct crash_sighting sighting = crash_sample_sighting(&kept, &lost);

	crash_add(s.crash, &sighting);
	crash_end(s.crash);
	s.findings->target.recover = "./kv check";
	s.findings->stats.crash_states.tested = figure_known(4117);
	s.findings->stats.failure_points.unique = figure_known(61);
	s.findings->stats.stores = s.findings->stats.flushes = s.findings->stats.fences = figure_known(2);
	s.findings->stats.threads = figure_known(1);
	s.findings->stats.seconds.recover = 2;
	s.findings->stats.complete = figure_known(1);
	char *text = crash_sample_report(REPORT_TEXT, s.findings);
	assert_string_equal(
		text, "recorded 2 PM stores, 2 flushes, 2 fences in 1 thread\n"
		      "tested 4 117 crash states at 61 failure points, 2 058/s                2.0 s\n"
		      "\n"
		      "F1  recovery-crash     kv+0x20  (error, 12 states)\n"
		      "    the store at kv+0x30 can be on media while this one is not: both are flushed, but no fence\n"
		      "    separates them\n"
		      "    power fails: before the sfence at kv+0x50\n"
		      "    on media: 8 bytes at pool+0x40 = 0x2a (kv+0x30)\n"
		      "    lost: 8 bytes at pool+0x80 = 0x2a (kv+0x20), flushed at kv+0x40\n"
		      "    recovery: SIGSEGV in kv_check (kv.c:402) on 12 crash states\n"
		      "    it printed: item 3 has no name\n"
		      "    from: kv+0x10\n"
		      "    fix: fence after the flush at kv+0x40, before the store at kv+0x30\n"
		      "    replay: blackout replay 'it'\\''s out' .0001\n"
		      "\n"
		      "1 error, 0 performance, 0 warnings, 0 suppressed. Every failure point was tested. Report: it's\n"
		      "out/report.html\n");
	free(text);
	crash_sample_free(&s);
}

static void assert_report_has(enum report_format format, const struct findings *f, const char *part)
{
	char *text = crash_sample_report(format, f);

	if (!strstr(text, part))
		fail_msg("'%s' is not in:\n%s", part, text);
	free(text);
}

static void test_mismatch(void **state)
{
	struct crash_sample s = crash_sample_make(*state);
	const struct crash_store kept = crash_sample_store(AT_OTHER, 0, 0x40),
				 lost = crash_sample_store(AT_STORE, AT_FLUSH, 0x80);
	const struct crash_sighting sighting = crash_sample_mismatch(&kept, &lost);

	crash_add(s.crash, &sighting);
	crash_end(s.crash);
	s.findings->target.recover = "./kv";
	s.findings->stats.crash_states.tested = figure_known(100);
	s.findings->stats.operations.total = figure_known(2000);
	s.findings->stats.operations.crashed_in = figure_known(812);
	s.findings->stats.operations.nondeterministic = figure_known(3);
	assert_report_has(
		REPORT_TEXT, s.findings,
		"F1  output-mismatch    kv+0x20  (error, 12 states)\n"
		"    the store at kv+0x30 can be on media while this one is not: both are flushed, but no fence\n"
		"    separates them\n"
		"    power fails: before the sfence at kv+0x50; operation 17, `insert k7 v3`, was under way\n"
		"    on media: 8 bytes at pool+0x40 = 0x2a (kv+0x30)\n"
		"    lost: 8 bytes at pool+0x80 = 0x2a (kv+0x20), flushed at kv+0x40\n"
		"    recovery: wrong output on 12 crash states\n"
		"    outputs: `get k7` should print `v3` if the operation happened or nothing if the operation did\n"
		"    not happen, but prints `v1`\n"
		"    from: kv+0x10\n");
	assert_report_has(REPORT_TEXT, s.findings, "The power failed\nin 812 of 2 000 operations. After 3 of them,");
	assert_report_has(REPORT_JSON, s.findings,
			  "\"operation\": {\n          \"index\": 17,\n          \"text\": \"insert k7 v3\",\n"
			  "          \"state\": \"inside\"\n");
	assert_report_has(
		REPORT_JSON, s.findings,
		"\"outcome\": \"output\",\n          \"expected\": [\n            \"v3\",\n"
		"            \"(end of output)\"\n          ],\n          \"histories\": [\n"
		"            \"if the operation happened\",\n            \"if the operation did not happen\"\n          ],\n"
		"          \"got\": \"v1\",\n          \"line\": 2,\n          \"query\": \"get k7\",\n");
	assert_report_has(REPORT_JSON, s.findings,
			  "\"operations\": {\n      \"total\": 2000,\n      \"crashed_in\": 812,\n"
			  "      \"nondeterministic\": 3\n");
	assert_report_has(
		REPORT_SARIF, s.findings,
		". Recovery: wrong output: `get k7` should print `v3` if the operation happened or nothing if the operation did not happen, "
		"but prints `v1`, when operation 17, `insert k7 v3`, was under way. Fix: ");
	assert_report_has(REPORT_JUNIT, s.findings, "\noutputs: `get k7` should print `v3` if the operation happened");
	/* 17 of 2,000 operations are 0.85% of the strip. */
	assert_report_has(REPORT_HTML, s.findings,
			  "<rect class=\"done\" y=\"16\" height=\"16\" x=\"0.000%\" width=\"0.850%\"/>");
	assert_report_has(REPORT_HTML, s.findings,
			  "17 operations were complete, one was under way, and 1\xc2\xa0"
			  "982 had not begun.");
	assert_report_has(REPORT_HTML, s.findings,
			  "<h4>expected if the operation happened</h4><pre class=\"source printed\">v3</pre>");
	assert_report_has(REPORT_HTML, s.findings, "<h4>got</h4><pre class=\"source printed\">v1</pre>");
	assert_report_has(REPORT_HTML, s.findings,
			  "<a href=\"#F1\"><title>F1: operation 17, `insert k7 v3`, was under way</title>");
	crash_sample_free(&s);
}

/* Other failures also say in which operation the power failed; between operations, that is the last complete one. */
static void test_operation(void **state)
{
	static const struct {
		struct finding_operation operation;
		const char *text, *json;
	} cases[] = {
		{{.known = true, .index = 3, .text = "del k\001"},
		 "; operation 3, `del k\\001`, was complete\n",
		 "\"state\": \"between\""},
		{{.known = true, .index = -1},
		 "; no operation had begun\n",
		 "\"index\": -1,\n          \"text\": \"\""},
		{{.known = true, .inside = true, .index = 0, .text = ""},
		 "; operation 0, ``, was under way\n",
		 "\"index\": 0"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct crash_sample s = crash_sample_make(*state);
		struct crash_sighting sighting = crash_sample_sighting(NULL, NULL);

		sighting.operation = cases[i].operation;
		crash_add(s.crash, &sighting);
		crash_end(s.crash);
		s.findings->stats.operations.total = figure_known(4);
		assert_report_has(REPORT_TEXT, s.findings, cases[i].text);
		assert_report_has(REPORT_JSON, s.findings, cases[i].json);
		crash_sample_free(&s);
	}
}

/* What is expected and printed reads well whatever it is. */
static void test_mismatch_words(void **state)
{
	static const struct finding_expected same[] = {{"a", "if the operation happened"},
						       {"a", "if the operation did not happen"}},
					     empty[] = {{"", NULL}},
					     orders[] = {{"1", "in one order"},
							 {"2", "in one order"},
							 {"3", "in one order"},
							 {"4", "in one order"},
							 {"5", "in one order"}};
	static const struct {
		struct finding_mismatch mismatch;
		const char *text;
	} cases[] = {
		{{.expected = same, .expected_count = 2, .got = OUTPUT_ENDS, .line = 4},
		 "    outputs: in line 4 of its output, recovery should print `a`, but prints nothing\n"},
		{{.expected = empty, .expected_count = 1, .got = "\033[2J"},
		 "    outputs: recovery should print an empty line, but prints `\\033[2J`\n"},
		{{.expected = empty, .expected_count = 1, .got = "x", .endless = true},
		 "    outputs: recovery should print an empty line, but prints `x`; its output has no end, and was cut\n"},
		{{.expected = empty, .expected_count = 1, .got = OUTPUT_ENDS, .endless = true},
		 "    outputs: recovery should print an empty line, but prints without end\n"},
		{{.expected = orders, .expected_count = 2, .got = "x"},
		 "    outputs: recovery should print `1` or `2` in one order, but prints `x`\n"},
		{{.expected = orders, .expected_count = 4, .got = "x"},
		 "    outputs: recovery should print `1`, `2`, `3` or `4` in one order, but prints `x`\n"},
		{{.expected = orders, .expected_count = 5, .got = "x"},
		 "    outputs: recovery should print `1`, `2`, `3`, or one of 2 others in one order, but prints `x`\n"},
		{{.expected = empty, .expected_count = 1, .got = "x", .recorded = true},
		 "    even with everything on media, recovery does not print what the recorded run printed for the"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct crash_sample s = crash_sample_make(*state);
		struct crash_sighting sighting = crash_sample_mismatch(NULL, NULL);

		sighting.mismatch = cases[i].mismatch;
		sighting.cause = CAUSE_MOMENT;
		crash_add(s.crash, &sighting);
		crash_end(s.crash);
		assert_report_has(REPORT_TEXT, s.findings, cases[i].text);
		if (!cases[i].mismatch.recorded)
			assert_report_has(REPORT_TEXT, s.findings,
					  "    recovery prints wrong output if the power fails before");
		crash_sample_free(&s);
	}
}

/* The same mistake in other operations, on other keys, is one finding with one fingerprint. */
static void test_mismatch_grouped(void **state)
{
	struct crash_sample s = crash_sample_make(*state), other = crash_sample_make(*state);
	const struct crash_store lost = crash_sample_store(AT_STORE, AT_FLUSH, 0x80);
	struct crash_sighting sighting = crash_sample_mismatch(NULL, &lost);

	crash_add(s.crash, &sighting);
	sighting.operation = (struct finding_operation){.known = true, .index = 99, .text = "insert k1 v1"};
	sighting.mismatch.query = "get k1";
	sighting.mismatch.got = "v9";
	crash_add(s.crash, &sighting);
	crash_add(other.crash, &sighting);
	crash_end(s.crash);
	crash_end(other.crash);
	assert_int_equal(s.findings->count, 1);
	assert_int_equal(s.findings->at[0].count, 24);
	assert_int_equal(s.findings->at[0].crash->operation.index, 17);
	assert_string_equal(s.findings->at[0].fingerprint, other.findings->at[0].fingerprint);
	assert_string_equal(s.findings->at[0].message, other.findings->at[0].message);
	crash_sample_free(&s);
	crash_sample_free(&other);
}

/* Writing, reading and writing again gives the same result, in every format. */
static void test_read_back(void **state)
{
	struct crash_sample s = crash_sample_make(*state);
	const struct crash_store kept = crash_sample_store(AT_OTHER, 0, 0x40),
				 lost = crash_sample_store(AT_STORE, AT_FLUSH, 0x80);
	struct crash_sighting sighting = crash_sample_sighting(&kept, &lost);
	struct findings *again;
	struct err err;

	crash_add(s.crash, &sighting);
	sighting = crash_sample_sighting(NULL, NULL);
	sighting.kind = KIND_RECOVERY_HANG;
	sighting.ending = (struct ending){ENDING_TIMEOUT, 0};
	sighting.cause = CAUSE_MOMENT;
	sighting.point = 0;
	sighting.point_op = NULL;
	sighting.frame_count = 0;
	sighting.nested = true;
	sighting.out = "\x1b[31m\xff odd <output>";
	sighting.mode = sighting.folder = NULL;
	crash_add(s.crash, &sighting);
	sighting = crash_sample_mismatch(&kept, &lost);
	sighting.mismatch.got = "\x1b[31m\xff odd <output>";
	crash_add(s.crash, &sighting);
	sighting = crash_sample_mismatch(NULL, NULL);
	sighting.operation = (struct finding_operation){.known = true, .index = -1};
	sighting.mismatch.line = 0;
	sighting.mismatch.query = NULL;
	sighting.mismatch.recorded = true;
	crash_add(s.crash, &sighting);
	crash_end(s.crash);
	s.findings->target.client = "./client";
	s.findings->target.mode = "namespace";
#define X(name) s.findings->stats.crash_states.name = figure_known(7);
	FINDINGS_STATES(X)
#undef X
#define X(name) s.findings->stats.failure_points.name = figure_known(8);
	FINDINGS_POINTS(X)
#undef X
#define X(name) s.findings->stats.operations.name = figure_known(9);
	FINDINGS_OPERATIONS(X)
#undef X
	char *json = crash_sample_report(REPORT_JSON, s.findings);
	if (findings_parse(&again, "x.json", json, strlen(json), &err) < 0)
		fail_msg("%s", err.sentence);
	free(json);
	findings_free(s.findings);
	s.findings = again; /* bytes that are not UTF-8 have been replaced by now */
	json = crash_sample_report(REPORT_JSON, s.findings);
	if (findings_parse(&again, "x.json", json, strlen(json), &err) < 0)
		fail_msg("%s", err.sentence);
	free(json);
	for (unsigned format = 0; format < REPORT_COUNT; format++) {
		char *first = crash_sample_report((enum report_format)format, s.findings);
		char *second = crash_sample_report((enum report_format)format, again);

		assert_string_equal(first, second);
		free(first);
		free(second);
	}
	bool nested = false;
	for (size_t i = 0; i < again->count; i++)
		nested |= again->at[i].crash->nested;
	assert_true(nested);
	assert_int_equal(again->count, 4);
	findings_free(again);
	crash_sample_free(&s);
}

static void test_suppressed(void **state)
{
	static const char entries[] = "[recovery-*]\nreason: known\nmodule:kv\n...\n";
	struct crash_sample s = crash_sample_make(*state);
	const struct crash_store lost = crash_sample_store(AT_STORE, AT_FLUSH, 0x80);
	const struct crash_sighting sighting = crash_sample_sighting(NULL, &lost);
	struct suppress *suppress;
	struct err err;

	crash_add(s.crash, &sighting);
	crash_end(s.crash);
	assert_int_equal(suppress_parse(&suppress, "x", entries, strlen(entries), &err), 0);
	suppress_apply(suppress, s.findings);
	assert_int_equal(s.findings->at[0].state, FINDING_SUPPRESSED);
	suppress_free(suppress);
	crash_sample_free(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		scratch_test(test_text),           scratch_test(test_mismatch),         scratch_test(test_operation),
		scratch_test(test_mismatch_words), scratch_test(test_mismatch_grouped), scratch_test(test_read_back),
		scratch_test(test_suppressed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
