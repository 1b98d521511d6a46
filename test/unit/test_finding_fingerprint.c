/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which changes do not affect a fingerprint, which do, and the baseline that relies on it. */
#include <stdlib.h>
#include <string.h>

#include "finding/baseline.h"
#include "finding/fingerprint.h"
#include "sample.h"
#include "scratch.h"

/* One finding of a kind at a place. */
struct given {
	enum finding_kind kind;
	const char *function;
	const char *path;
	uint32_t line;
	const char *module;
	uint64_t offset;
};

/* Compute the fingerprints of `count` findings together. */
static void print(const struct given *given, size_t count, char prints[][FINGERPRINT_CHARS + 1])
{
	struct findings *f = sample_new();
	struct sources *sources = sources_new();

	for (size_t i = 0; i < count; i++) {
		struct finding *finding = sample_add(f, given[i].kind, SEVERITY_ERROR, 1);

		sample_frame(f, &finding->stack, given[i].function, given[i].path, given[i].line, given[i].module);
		finding->stack.frames[0].offset = given[i].offset;
	}
	fingerprint_all(f, sources);
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(strlen(f->at[i].fingerprint), FINGERPRINT_CHARS);
		strcpy(prints[i], f->at[i].fingerprint);
	}
	sources_free(sources);
	findings_free(f);
}

static void expect(const struct given *a, const struct given *b, bool same)
{
	char pa[1][FINGERPRINT_CHARS + 1], pb[1][FINGERPRINT_CHARS + 1];

	print(a, 1, pa);
	print(b, 1, pb);
	if (same)
		assert_string_equal(pa[0], pb[0]);
	else
		assert_string_not_equal(pa[0], pb[0]);
}

static const struct given usual = {KIND_MISSING_FLUSH, "put", "/gone/kv.c", 10, "kv", 0x1000};

static void test_same(void **state)
{
	struct given other = usual;

	(void)state;
	expect(&usual, &other, true);
	other.offset = 0x2000; /* recompiled, or loaded elsewhere */
	expect(&usual, &other, true);
	other.line = 99; /* lines before the function were added */
	expect(&usual, &other, true);
	other.path = "/elsewhere/kv.c"; /* another checkout */
	expect(&usual, &other, true);
}

static void test_different(void **state)
{
	struct given other;

	(void)state;
	expect(&usual, (other = usual, other.kind = KIND_MISSING_FENCE, &other), false);
	expect(&usual, (other = usual, other.function = "get", &other), false);
	expect(&usual, (other = usual, other.module = "libkv.so", &other), false);
	expect(&usual, (other = usual, other.path = "/gone/other.c", &other), false);
}

static void test_library_version(void **state)
{
	struct given one = usual, two = usual;

	(void)state;
	one.module = "libkv.so.1.2";
	two.module = "libkv.so.2";
	expect(&one, &two, true);
	two.module = "libkw.so.2";
	expect(&one, &two, false);
}

/* A different caller does not make a different finding. */
static void test_callers(void **state)
{
	char prints[2][FINGERPRINT_CHARS + 1];

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		struct findings *f = sample_new();
		struct sources *sources = sources_new();
		struct finding *finding = sample_add(f, KIND_MISSING_FLUSH, SEVERITY_ERROR, 1);

		sample_frame(f, &finding->stack, "put", "/gone/kv.c", 10, "kv");
		finding->stack.frames[0].inlined = i;
		sample_frame(f, &finding->stack, i ? "apply" : "insert", "/gone/kv.c", 30, "kv");
		fingerprint_all(f, sources);
		strcpy(prints[i], f->at[0].fingerprint);
		sources_free(sources);
		findings_free(f);
	}
	assert_string_equal(prints[0], prints[1]);
}

/* Without symbols only the offset is available. */
static void test_stripped(void **state)
{
	struct given one = {KIND_MISSING_FLUSH, NULL, NULL, 0, "kv", 0x1000}, two = one;

	(void)state;
	expect(&one, &two, true);
	two.offset++;
	expect(&one, &two, false);
}

/* Two findings of one kind in one function, without source: distinguished by their sequence. */
static void test_ordinal(void **state)
{
	struct given pair[] = {usual, usual}, moved[] = {usual, usual};
	char before[2][FINGERPRINT_CHARS + 1], after[2][FINGERPRINT_CHARS + 1];

	(void)state;
	pair[1].line = 20;
	moved[0].line = 55; /* reversed in the array, and 35 lines further down */
	moved[1].line = 45;
	print(pair, 2, before);
	print(moved, 2, after);
	assert_string_not_equal(before[0], before[1]);
	assert_string_equal(before[0], after[1]);
	assert_string_equal(before[1], after[0]);
}

static const char *source_write(const char *dir, const char *text)
{
	static char path[4200];
	FILE *out;

	snprintf(path, sizeof(path), "%s/kv.c", dir);
	out = fopen(path, "w");
	assert_non_null(out);
	fputs(text, out);
	fclose(out);
	return path;
}

/* With source: lines that move or change elsewhere in the function have no effect, even if one of two findings is
 * fixed. */
static void test_source(void **state)
{
	char before[2][FINGERPRINT_CHARS + 1], after[1][FINGERPRINT_CHARS + 1];
	const char *path = source_write(*state, "void put(void)\n{\n\ta = 1;\n\tb = 2;\n}\n");
	struct given pair[] = {usual, usual}, left = usual;

	pair[0].path = pair[1].path = left.path = path;
	pair[0].line = 3;
	pair[1].line = 4;
	print(pair, 2, before);
	assert_string_not_equal(before[0], before[1]);

	source_write(*state, "// new\n\nvoid put(void)\n{\n\ta = 1; flush(a);\n\n   b =  2;\r\n}\n");
	left.line = 7;
	print(&left, 1, after);
	assert_string_equal(after[0], before[1]);

	source_write(*state, "// new\n\nvoid put(void)\n{\n\ta = 1; flush(a);\n\n\tb = 3;\n}\n");
	print(&left, 1, after);
	assert_string_not_equal(after[0], before[1]);
}

/* Two lines with the same text are still two findings. */
static void test_source_twice(void **state)
{
	char prints[2][FINGERPRINT_CHARS + 1];
	const char *path = source_write(*state, "x = 1;\nx = 1;\n");
	struct given pair[] = {usual, usual};

	pair[0].path = pair[1].path = path;
	pair[0].line = 1;
	pair[1].line = 2;
	print(pair, 2, prints);
	assert_string_not_equal(prints[0], prints[1]);
}

static void test_source_lines(void **state)
{
	const char *path = source_write(*state, "one\n\nthree");
	struct sources *sources = sources_new();
	size_t length;

	assert_memory_equal(source_line(sources, path, 1, &length), "one", 3);
	assert_int_equal(length, 3);
	assert_non_null(source_line(sources, path, 2, &length));
	assert_int_equal(length, 0);
	assert_memory_equal(source_line(sources, path, 3, &length), "three", 5);
	assert_null(source_line(sources, path, 4, &length));
	assert_null(source_line(sources, path, 0, &length));
	assert_null(source_line(sources, "/dev/zero", 1, &length));
	assert_null(source_line(sources, *state, 1, &length)); /* a directory */
	assert_null(source_line(sources, "kv.c", 1, &length));
	assert_null(source_line(sources, NULL, 1, &length));
	sources_free(sources);
}

/* ---- baseline ---- */

static void test_baseline(void **state)
{
	struct findings *old = sample_new(), *now = sample_new();

	(void)state;
	for (unsigned i = 0; i < 5; i++)
		sample_add(old, KIND_MISSING_FLUSH, SEVERITY_ERROR, 1);
	for (unsigned i = 0; i < 5; i++)
		sample_add(now, KIND_MISSING_FLUSH, SEVERITY_ERROR, 100);
	strcpy(now->at[1].fingerprint, "new");
	old->at[2].severity = SEVERITY_WARNING; /* it has since become an error */
	old->at[3].state = FINDING_SUPPRESSED;  /* suppressed then, but not new */
	now->at[4].state = FINDING_SUPPRESSED;  /* suppressed for another reason */
	now->at[4].reason = "mine";
	baseline_apply(now, old);
	assert_int_equal(now->at[0].state, FINDING_KNOWN);
	assert_int_equal(now->at[1].state, FINDING_ACTIVE);
	assert_int_equal(now->at[2].state, FINDING_ACTIVE);
	assert_int_equal(now->at[3].state, FINDING_KNOWN);
	assert_int_equal(now->at[4].state, FINDING_SUPPRESSED);
	assert_string_equal(now->at[4].reason, "mine");
	findings_free(old);
	findings_free(now);
}

static void test_baseline_empty(void **state)
{
	struct findings *old = sample_new(), *now = sample_new();

	(void)state;
	sample_add(now, KIND_MISSING_FLUSH, SEVERITY_ERROR, 1);
	baseline_apply(now, old);
	assert_int_equal(now->at[0].state, FINDING_ACTIVE);
	findings_free(old);
	findings_free(now);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same),
		cmocka_unit_test(test_different),
		cmocka_unit_test(test_library_version),
		cmocka_unit_test(test_stripped),
		cmocka_unit_test(test_ordinal),
		scratch_test(test_source),
		scratch_test(test_source_twice),
		scratch_test(test_source_lines),
		cmocka_unit_test(test_baseline),
		cmocka_unit_test(test_baseline_empty),
		cmocka_unit_test(test_callers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
