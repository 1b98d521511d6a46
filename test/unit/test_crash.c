/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Findings of crash states, built from contexts and stores: their text, and when two are the same finding. */
#include <stdlib.h>
#include <string.h>

#include "crash_sample.h"
#include "scratch.h"

static void test_made(void **state)
{
	struct crash_sample s = crash_sample_make(*state);
	const struct crash_store kept = crash_sample_store(AT_OTHER, AT_FLUSH, 0x40),
				 lost = crash_sample_store(AT_STORE, AT_FLUSH, 0x80);
	const struct crash_sighting sighting = crash_sample_sighting(&kept, &lost);

	crash_add(s.crash, &sighting);
	crash_end(s.crash);
	assert_int_equal(s.findings->count, 1);
	const struct finding *f = &s.findings->at[0];
	assert_string_equal(f->id, "F1");
	assert_int_equal(f->severity, SEVERITY_ERROR);
	assert_string_equal(class_name(kind_get(f->kind)->class), "crash consistency");
	assert_int_equal(f->count, 12);
	assert_int_equal(stack_location(&f->stack)->offset, 0x20);
	assert_string_equal(f->pool, "/pm/pool");
	assert_int_equal(f->first.event, 17);
	assert_int_equal(f->related_count, 2);
	assert_string_equal(f->message, "the store at kv+0x30 can be on media while this one is not: both are "
					"flushed, but no fence separates them");
	assert_string_equal(f->fix, "fence after the flush at kv+0x40, before the store at kv+0x30");
	assert_int_equal(strlen(f->fingerprint), FINGERPRINT_CHARS);
	assert_int_equal(f->crash->recovery.stack.location, 1); /* libc is folded there too */
	crash_sample_free(&s);
}

/* If a flush comes after the store that relies on it, the advice must not be to add a fence after that flush. */
static void test_flushed_late(void **state)
{
	static const enum crash_cause causes[] = {CAUSE_UNORDERED, CAUSE_UNFENCED};

	for (size_t i = 0; i < 2; i++) {
		struct crash_sample s = crash_sample_make(*state);
		const struct crash_store kept = crash_sample_store(AT_OTHER, AT_FLUSH, 0x40);
		struct crash_store lost = crash_sample_store(AT_STORE, AT_FLUSH, 0x80);
		struct crash_sighting sighting = crash_sample_sighting(&kept, &lost);

		lost.flush_event = kept.event + 1;
		sighting.cause = causes[i];
		crash_add(s.crash, &sighting);
		crash_end(s.crash);
		assert_string_equal(s.findings->at[0].fix,
				    "persist what is stored at kv+0x20 before the store at kv+0x30");
		crash_sample_free(&s);
	}
}

/* Every cause has a sentence, no matter what else is known; no sentence contains an unknown place. */
static void test_sentences(void **state)
{
	for (unsigned cause = 0; cause < CAUSE_COUNT; cause++) {
		for (unsigned known = 0; known < 8; known++) {
			struct crash_sample s = crash_sample_make(*state);
			const struct crash_store kept = crash_sample_store(AT_OTHER, AT_FLUSH, 0x40);
			const struct crash_store lost = crash_sample_store(AT_STORE, known & 4 ? AT_FLUSH : 0, 0x80);
			struct crash_sighting sighting =
				crash_sample_sighting(known & 1 ? &kept : NULL, known & 2 ? &lost : NULL);

			sighting.cause = (enum crash_cause)cause;
			crash_add(s.crash, &sighting);
			crash_end(s.crash);
			assert_null(strstr(s.findings->at[0].message, "unknown place"));
			assert_null(strpbrk(s.findings->at[0].message, "{}"));
			if (s.findings->at[0].fix)
				assert_null(strstr(s.findings->at[0].fix, "unknown place"));
			crash_sample_free(&s);
		}
	}
}

/* Return the advice for one lost store and one on media; the caller frees it.  NULL: none. */
static char *advice(const char *dir, enum crash_cause cause, const struct crash_store *kept,
		    const struct crash_store *lost)
{
	struct crash_sample s = crash_sample_make(dir);
	struct crash_sighting sighting = crash_sample_sighting(kept, lost);

	sighting.cause = cause;
	sighting.pair = kept;
	crash_add(s.crash, &sighting);
	crash_end(s.crash);
	char *fix = s.findings->at[0].fix ? strdup(s.findings->at[0].fix) : NULL;
	crash_sample_free(&s);
	return fix;
}

/* The first of two stores is on media and the second is lost.  If the second is flushed, it should have come first; if
 * not, something later may rely on both. */
static void test_advice_earlier(void **state)
{
	struct crash_store kept = crash_sample_store(AT_OTHER, 0, 0x40), lost = crash_sample_store(AT_STORE, 0, 0x88);
	char *fix;

	kept.event = 11;
	kept.needed = true;
	fix = advice(*state, CAUSE_UNORDERED, &kept, &lost);
	assert_string_equal(
		fix,
		"persist what is stored at kv+0x20 before anything relies on it, or change both in one transaction");
	free(fix);
	lost.flush = AT_FLUSH;
	lost.flush_event = 20;
	fix = advice(*state, CAUSE_UNORDERED, &kept, &lost);
	assert_string_equal(
		fix,
		"persist what is stored at kv+0x20 before the store at kv+0x30, or change both in one transaction");
	free(fix);
}

/* The user cannot persist what a library stores for itself, but can let the library publish it later. */
static void test_advice_library(void **state)
{
	const struct crash_store lost = crash_sample_store(AT_LIBRARY, 0, 0x80);
	char *fix;

	assert_null(advice(*state, CAUSE_UNFLUSHED, NULL, &lost));
	assert_null(advice(*state, CAUSE_TORN, NULL, &lost));
	fix = advice(*state, CAUSE_EARLY, NULL, &lost);
	assert_non_null(fix);
	free(fix);
}

static void test_joined(void **state)
{
	struct crash_sample s = crash_sample_make(*state);
	const struct crash_store kept = crash_sample_store(AT_OTHER, AT_FLUSH, 0x40),
				 lost = crash_sample_store(AT_STORE, AT_FLUSH, 0x80);
	struct crash_sighting sighting = crash_sample_sighting(&kept, &lost);

	crash_add(s.crash, &sighting);
	sighting.point = AT_FLUSH; /* elsewhere, but the same store is lost and recovery fails at the same place */
	sighting.states = 3;
	crash_add(s.crash, &sighting);
	sighting.platform = "eadr"; /* another platform adds its name, but not its states */
	crash_add(s.crash, &sighting);
	crash_add(s.crash, &sighting);
	assert_int_equal(s.findings->count, 1);
	assert_int_equal(s.findings->at[0].count, 15);
	assert_int_equal(s.findings->at[0].crash->states, 15);
	assert_int_equal(s.findings->at[0].platform_count, 2);
	sighting.platform = "adr";
	sighting.ending.value = 6; /* a different failure */
	crash_add(s.crash, &sighting);
	sighting.frame_count = 0; /* at a different place */
	crash_add(s.crash, &sighting);
	sighting.nested = true;
	crash_add(s.crash, &sighting);
	sighting.lost = &kept; /* a different loss */
	crash_add(s.crash, &sighting);
	crash_end(s.crash);
	assert_int_equal(s.findings->count, 5);
	for (size_t i = 0; i < 5; i++)
		for (size_t j = 0; j < i; j++)
			assert_string_not_equal(s.findings->at[i].fingerprint, s.findings->at[j].fingerprint);
	crash_sample_free(&s);
}

/* Stores beyond the limit are only counted; output beyond it is cut at a line. */
static void test_limits(void **state)
{
	struct crash_sample s = crash_sample_make(*state);
	struct crash_store lost[CRASH_STORES_MAX + 5];
	struct crash_sighting sighting = crash_sample_sighting(NULL, lost);
	char *printed = mem_alloc(10000);

	for (size_t i = 0; i < CRASH_STORES_MAX + 5; i++)
		lost[i] = crash_sample_store(AT_STORE, 0, 64 * i);
	for (size_t i = 0; i < 9999; i++)
		printed[i] = i % 10 == 9 ? '\n' : 'x';
	sighting.lost_count = CRASH_STORES_MAX + 5;
	sighting.err = printed;
	crash_add(s.crash, &sighting);
	crash_end(s.crash);
	assert_int_equal(s.findings->at[0].crash->lost_count, CRASH_STORES_MAX);
	assert_int_equal(s.findings->at[0].crash->lost_total, CRASH_STORES_MAX + 5);
	assert_in_range(strlen(s.findings->at[0].crash->recovery.err), CRASH_TAIL_MAX - 10, CRASH_TAIL_MAX);
	assert_int_equal(strncmp(s.findings->at[0].crash->recovery.err, "xxxxxxxxx\n", 10), 0);
	free(printed);
	crash_sample_free(&s);
}

/* On media, but irrelevant: stores covered by a later store to the same place, and the rest of a store that is lost in
 * part. */
static void test_idle(void **state)
{
	struct crash_sample s = crash_sample_make(*state);
	const struct crash_store lost = {AT_STORE, 0, 1, 8, 0x7d, crash_sample_value, 17, 0, false, false};
	const struct crash_store kept[] = {
		{AT_STORE, 0, 1, 8, 0x7d, crash_sample_value, 17, 0, false, false},
		{AT_OTHER, 0, 1, 8, 0x40, crash_sample_value, 3, 0, false, false},
		{AT_OTHER, 0, 1, 8, 0x40, crash_sample_value, 9, 0, false, false},
		{AT_OTHER, 0, 1, 4, 0x40, crash_sample_value, 5, 0, false, false},
	};
	struct crash_sighting sighting = crash_sample_sighting(kept, &lost);

	sighting.persisted_count = 4;
	crash_add(s.crash, &sighting);
	sighting.cause = CAUSE_TORN; /* here the rest matters */
	sighting.ending.value = 6;
	crash_add(s.crash, &sighting);
	assert_int_equal(s.findings->at[0].crash->persisted_total, 2);
	assert_int_equal(s.findings->at[0].crash->persisted[0].event, 9);
	assert_int_equal(s.findings->at[0].crash->persisted[1].event, 5);
	assert_int_equal(s.findings->at[0].crash->telling_count,
			 0); /* they were pending before the lost store was made */
	assert_int_equal(s.findings->at[1].crash->persisted_total, 3);
	crash_end(s.crash);
	crash_sample_free(&s);
}

/* Stores before the loss are telling only if they are guaranteed. */
static void test_telling(void **state)
{
	struct crash_sample s = crash_sample_make(*state);
	const struct crash_store lost = {AT_STORE, 0, 1, 8, 0x80, crash_sample_value, 17, 0, false, false};
	const struct crash_store kept[] = {
		{AT_FLUSH, 0, 1, 8, 0x100, crash_sample_value, 3, 0, false, false},
		{AT_OTHER, 0, 1, 8, 0x40, crash_sample_value, 9, 0, true, false},
	};
	struct crash_sighting sighting = crash_sample_sighting(kept, &lost);

	sighting.cause = CAUSE_UNFLUSHED;
	sighting.persisted_count = 2;
	crash_add(s.crash, &sighting);
	assert_int_equal(s.findings->at[0].crash->telling_count, 1);
	assert_int_equal(s.findings->at[0].crash->persisted[0].event, 9);
	assert_string_equal(
		s.findings->at[0].message,
		"if the power fails before the sfence at kv+0x50, the store at kv+0x30 is on media, but this one is "
		"not: it is not flushed yet");
	crash_end(s.crash);
	crash_sample_free(&s);
}

/* A store that came too early and the loss of what it needs are one finding, but not if recovery fails differently. */
static void test_united(void **state)
{
	struct crash_sample s = crash_sample_make(*state);
	const struct crash_store lost = {AT_STORE, 0, 1, 8, 0x80, crash_sample_value, 17, 0, false, false};
	const struct crash_store kept = {AT_OTHER, 0, 1, 8, 0x40, crash_sample_value, 9, 0, true, false};
	struct crash_sighting sighting = crash_sample_sighting(&kept, NULL);

	sighting.cause = CAUSE_EARLY;
	sighting.blamed = AT_OTHER;
	crash_add(s.crash, &sighting);
	sighting.ending.value = 6;
	crash_add(s.crash, &sighting);
	sighting = crash_sample_sighting(&kept, &lost);
	sighting.cause = CAUSE_UNFLUSHED;
	crash_add(s.crash, &sighting);
	assert_int_equal(s.findings->count, 3);
	crash_end(s.crash);
	assert_int_equal(s.findings->count, 2);
	assert_int_equal(s.findings->at[0].crash->cause, CAUSE_UNFLUSHED);
	assert_int_equal(s.findings->at[0].count, 24);
	assert_int_equal(s.findings->at[1].crash->cause, CAUSE_EARLY);
	assert_int_equal(s.findings->at[1].crash->recovery.ending.value, 6);
	crash_sample_free(&s);
}

/* A store lost by a library is not reported in place of a store that the program made too early. */
static void test_united_library(void **state)
{
	struct crash_sample s = crash_sample_make(*state);
	const struct crash_store lost = {AT_LIBRARY, 0, 1, 8, 0x80, crash_sample_value, 17, 0, false, false};
	const struct crash_store kept = {AT_OTHER, 0, 1, 8, 0x40, crash_sample_value, 9, 0, true, false};
	struct crash_sighting sighting = crash_sample_sighting(&kept, &lost);

	sighting.cause = CAUSE_UNFLUSHED;
	crash_add(s.crash, &sighting);
	sighting = crash_sample_sighting(&kept, NULL);
	sighting.cause = CAUSE_EARLY;
	sighting.blamed = AT_OTHER;
	crash_add(s.crash, &sighting);
	crash_end(s.crash);
	assert_int_equal(s.findings->count, 1);
	assert_int_equal(s.findings->at[0].crash->cause, CAUSE_EARLY);
	assert_int_equal(s.findings->at[0].count, 24);
	crash_sample_free(&s);
}

/* If the search was cut short, recoveries that fail at the same place are one finding, with a known cause if there is
 * one.  The numbers in their error messages may differ. */
static void test_unfinished(void **state)
{
	struct crash_sample s = crash_sample_make(*state);
	const struct crash_store lost = crash_sample_store(AT_STORE, 0, 0x80),
				 other = crash_sample_store(AT_OTHER, 0, 0x80),
				 third = crash_sample_store(AT_FLUSH, 0, 0x80);
	struct crash_sighting sighting = crash_sample_sighting(NULL, &other);

	sighting.unfinished = true;
	sighting.err = "checking\nitem 17 has no name\n";
	crash_add(s.crash, &sighting);
	sighting.lost = &third;
	sighting.err = "item 4 is twice there\n";
	crash_add(s.crash, &sighting);
	sighting = crash_sample_sighting(NULL, &lost);
	sighting.cause = CAUSE_UNFLUSHED;
	sighting.err = "item 23 has no name\n";
	crash_add(s.crash, &sighting);
	crash_end(s.crash);
	assert_int_equal(s.findings->count, 2);
	for (size_t i = 0; i < 2; i++) {
		const struct finding *finding = &s.findings->at[i];

		assert_int_equal(finding->count, finding->crash->unfinished ? 12 : 24);
	}
	crash_sample_free(&s);
}

/* A library's own stores come last, and are not blamed if the cause is unknown; the report folds them. */
static void test_library_last(void **state)
{
	struct crash_sample s = crash_sample_make(*state);
	const struct crash_store lost[] = {crash_sample_store(AT_LIBRARY, 0, 0x40),
					   crash_sample_store(AT_LIBRARY, 0, 0x80),
					   crash_sample_store(AT_STORE, 0, 0xc0),
					   crash_sample_store(AT_LIBRARY, 0, 0x100)};
	struct crash_sighting sighting = crash_sample_sighting(NULL, lost);
	char *text;

	sighting.lost_count = 4;
	sighting.blamed = AT_LIBRARY;
	sighting.unfinished = true;
	crash_add(s.crash, &sighting);
	crash_end(s.crash);
	assert_int_equal(s.findings->at[0].crash->lost[0].offset, 0xc0);
	assert_int_equal(s.findings->at[0].crash->lost[1].offset, 0x40);
	assert_int_equal(s.findings->at[0].crash->lost[3].offset, 0x100);
	assert_true(frame_same_place(stack_location(&s.findings->at[0].stack),
				     stack_location(&s.findings->at[0].crash->lost[0].stack)));
	text = crash_sample_report(REPORT_TEXT, s.findings);
	assert_non_null(strstr(text, "    lost: and 3 stores of libpmemobj\n"));
	assert_null(strstr(text, "+0x40 "));
	free(text);
	crash_sample_free(&s);
}

/* Both stores are at one place: the sentence does not name it twice. */
static void test_one_place(void **state)
{
	struct crash_sample s = crash_sample_make(*state);
	const struct crash_store kept = crash_sample_store(AT_STORE, 0, 0x40),
				 lost = crash_sample_store(AT_STORE, 0, 0x80);
	struct crash_sighting sighting = crash_sample_sighting(&kept, &lost);

	sighting.cause = CAUSE_UNFLUSHED;
	crash_add(s.crash, &sighting);
	assert_string_equal(
		s.findings->at[0].message,
		"if the power fails before the sfence at kv+0x50, this store is not on media yet, but something that needs it is");
	crash_end(s.crash);
	crash_sample_free(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		scratch_test(test_made),           scratch_test(test_flushed_late),   scratch_test(test_sentences),
		scratch_test(test_joined),         scratch_test(test_limits),         scratch_test(test_idle),
		scratch_test(test_telling),        scratch_test(test_united),         scratch_test(test_one_place),
		scratch_test(test_united_library), scratch_test(test_unfinished),     scratch_test(test_library_last),
		scratch_test(test_advice_earlier), scratch_test(test_advice_library),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
