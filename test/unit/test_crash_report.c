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
	crash_end(s.crash);
	s.findings->target.client = "./client";
	s.findings->target.mode = "namespace";
#define X(name) s.findings->stats.crash_states.name = figure_known(7);
	FINDINGS_STATES(X)
#undef X
#define X(name) s.findings->stats.failure_points.name = figure_known(8);
	FINDINGS_POINTS(X)
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
	assert_true(again->at[1].crash->nested || again->at[0].crash->nested);
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
		scratch_test(test_text),
		scratch_test(test_read_back),
		scratch_test(test_suppressed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
