/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Suppressions: parsing, errors and their places, matching, and reading back what was written. */
#include <stdlib.h>
#include <string.h>

#include "finding/suppress.h"
#include "sample.h"
#include "scratch.h"

static struct suppress *parse(const char *text)
{
	struct suppress *s;
	struct err err;

	if (suppress_parse(&s, "x.supp", text, strlen(text), &err) < 0)
		fail_msg("%s", err.sentence);
	return s;
}

/* ---- mistakes ---- */

static void refuse(const char *text, size_t size, const char *sentence)
{
	struct suppress *s = NULL;
	struct err err;

	/* A copy of the exact size, so that ASan detects reads beyond it. */
	char *copy = malloc(size + !size);
	memcpy(copy, text, size);
	assert_int_equal(suppress_parse(&s, "x.supp", copy, size, &err), -1);
	free(copy);
	assert_int_equal(err.status, ERR_USAGE);
	assert_string_equal(err.sentence, sentence);
	assert_null(s);
}

static void test_mistakes(void **state)
{
	static const struct {
		const char *text, *sentence;
	} cases[] = {
		{"fun:put\n", "x.supp:1:1: a suppression starts with a kind in brackets, such as [missing-flush]"},
		{"\n\n  reason: x\n",
		 "x.supp:3:3: a suppression starts with a kind in brackets, such as [missing-flush]"},
		{"[missing-flush\nreason: x\n", "x.supp:1:15: the `[` is not closed"},
		{"[missing-flush] x\nreason: x\n", "x.supp:1:16: nothing may follow the `]`"},
		{"[missing-flash]\nreason: x\n", "x.supp:1:2: no kind of finding is called 'missing-flash'"},
		{"[]\nreason: x\n", "x.supp:1:2: no kind of finding is called ''"},
		{"[missing-flush]\n", "x.supp:1:1: the suppression [missing-flush] has no `reason:`"},
		{"[missing-flush]", "x.supp:1:1: the suppression [missing-flush] has no `reason:`"},
		{"# x\n[missing-flush]\nfun:a\n[missing-fence]\nreason: x\n",
		 "x.supp:2:1: the suppression [missing-flush] has no `reason:`"},
		{"[missing-flush]\nreason:   \n", "x.supp:2:8: the reason is empty"},
		{"[missing-flush]\nreason: x\nreason: y\n", "x.supp:3:1: this suppression has a reason already"},
		{"[missing-flush]\nreason: x\n  func:put\n",
		 "x.supp:3:3: expected fun:, file:, module: or ..., or reason:, fingerprint: or [KIND]"},
		{"[missing-flush]\nreason: x\nfun:put flie:kv.c\n",
		 "x.supp:3:9: expected fun:, file:, module: or ..., or reason:, fingerprint: or [KIND]"},
		{"[missing-flush]\nreason: x\nfun:put fun:get\n",
		 "x.supp:3:9: the same condition appears twice in one frame"},
		{"[missing-flush]\nreason: x\nfun:\n", "x.supp:3:5: a pattern is missing here"},
		{"[missing-flush]\nreason: x\nfun:\"\"\n", "x.supp:3:5: a pattern is missing here"},
		{"[missing-flush]\nreason: x\nfun:\"put\n", "x.supp:3:5: the quote is not closed"},
		{"[missing-flush]\nreason: x\nfun:\"put\\\"\n", "x.supp:3:5: the quote is not closed"},
		{"[missing-flush]\nreason: x\nfun:\"put\"file:x\n", "x.supp:3:10: a space is missing here"},
		{"[missing-flush]\nreason: x\n.... \n", "x.supp:3:4: nothing may follow `...`"},
		{"[missing-flush]\nreason: x\nfingerprint: 12\n",
		 "x.supp:3:14: a fingerprint has 32 hexadecimal digits"},
		{"[missing-flush]\nreason: x\nfingerprint: 0123456789abcdefg123456789abcdef\n",
		 "x.supp:3:30: a fingerprint has only the digits 0-9 and a-f"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		refuse(cases[i].text, strlen(cases[i].text), cases[i].sentence);
	refuse("[missing-flush]\nrea\0son: x\n", 27, "x.supp:2:4: this is not text: there is a zero byte");
}

static void test_unreadable(void **state)
{
	struct suppress *s;
	struct err err;

	assert_int_equal(suppress_read(&s, "/nowhere/x.supp", &err), -1);
	assert_int_equal(err.status, ERR_USAGE);
	assert_string_equal(err.sentence, "cannot read the suppressions in /nowhere/x.supp: No such file or directory");
	assert_int_equal(suppress_read(&s, *state, &err), -1);
	assert_int_equal(err.status, ERR_USAGE);
	assert_non_null(strstr(err.sentence, "Is a directory"));
}

/* ---- matching ---- */

/* A typical stack: a library inside, then put, apply, main, then the C library. */
static struct findings *stack_sample(void)
{
	struct findings *f = sample_new();
	struct finding *finding = sample_add(f, KIND_MISSING_FLUSH, SEVERITY_ERROR, 1);

	sample_frame(f, &finding->stack, "pmem_memcpy", NULL, 0, "libpmem.so.1");
	sample_frame(f, &finding->stack, "put", "/src/kv/kv.c", 118, "libkv.so.3");
	sample_frame(f, &finding->stack, "apply", "/src/kv/log.c", 20, "libkv.so.3");
	sample_frame(f, &finding->stack, "main", "/src/main.c", 7, "server");
	sample_frame(f, &finding->stack, "__libc_start_main", NULL, 0, "libc.so.6");
	return f;
}

static bool matches(const char *entry)
{
	struct findings *f = stack_sample();
	struct suppress *s = parse(entry);

	suppress_apply(s, f);
	bool silenced = f->at[0].state == FINDING_SUPPRESSED;
	if (silenced)
		assert_string_equal(f->at[0].reason, "why");
	suppress_note_unused(s, f);
	assert_int_equal(f->notes.count, !silenced);
	suppress_free(s);
	findings_free(f);
	return silenced;
}

#define ENTRY(frames) "[missing-flush]\nreason: why\n" frames "\n"

static void test_frames(void **state)
{
	(void)state;
	assert_true(matches(ENTRY("")));
	assert_true(matches(ENTRY("fun:put")));
	assert_true(matches(ENTRY("fun:p?t file:kv.c")));
	assert_true(matches(ENTRY("file:/src/kv/* module:libkv.so*")));
	assert_true(matches(ENTRY("  fun:put\r\n\tfun:apply\r")));
	assert_true(matches(ENTRY("fun:put\nfun:apply\nfun:main")));
	assert_true(matches(ENTRY("fun:put\n...\nfun:main")));
	assert_true(matches(ENTRY("fun:put\n...\nfun:apply"))); /* ... may match nothing */
	assert_true(matches(ENTRY("fun:put\n...")));
	assert_true(matches(ENTRY("...\nfun:apply\nmodule:server")));
	assert_true(matches(ENTRY("...\nfun:pmem_*\nfun:put")));
	assert_true(matches(ENTRY("...\nmodule:libkv.so*\nfun:main"))); /* the first libkv is not followed by main */
	assert_false(matches(ENTRY("fun:get")));
	assert_false(matches(ENTRY("fun:put file:log.c")));
	assert_false(matches(ENTRY("fun:apply")));         /* not the location */
	assert_false(matches(ENTRY("fun:pmem_memcpy")));   /* nor is this */
	assert_false(matches(ENTRY("fun:put\nfun:main"))); /* not the caller */
	assert_false(matches(ENTRY("...\nfun:main\nfun:put")));
	assert_false(matches(ENTRY("fun:put\n...\nfun:never\n...")));
	assert_false(matches(ENTRY("fun:put\nfun:*\nfun:*\nfun:*\nfun:*"))); /* longer than the stack */
}

static void test_kinds(void **state)
{
	(void)state;
	assert_true(matches("[missing-*]\nreason: why\n"));
	assert_true(matches("[*]\nreason: why\n"));
	assert_false(matches("[missing-fence]\nreason: why\n"));
	assert_false(matches("[redundant-*]\nreason: why\n"));
	assert_true(matches("[missing-flush]\nreason: why\nfingerprint: 00000000000000000000000000000001\n"));
	assert_false(matches("[missing-flush]\nreason: why\nfingerprint: 00000000000000000000000000000002\n"));
}

/* Names with blanks and with characters that are special in patterns. */
static void test_quotes(void **state)
{
	struct findings *f = sample_new();
	struct finding *finding = sample_add(f, KIND_MISSING_FLUSH, SEVERITY_ERROR, 1);
	struct suppress *s = parse(ENTRY("fun:\"list<int, \\\"x\\\">::operator\\[\\]\" file:\"my file.c\""));

	(void)state;
	sample_frame(f, &finding->stack, "list<int, \"x\">::operator[]", "/src/my file.c", 3, "m");
	suppress_apply(s, f);
	assert_int_equal(finding->state, FINDING_SUPPRESSED);
	suppress_free(s);
	findings_free(f);
}

static void test_unused(void **state)
{
	struct findings *f = stack_sample();
	struct suppress *s = parse("[missing-flush]\nreason: why\n\n[transient-data]\nreason: the old cache\nfun:x\n"
				   "[missing-*]\nreason: also matches\n");

	(void)state;
	suppress_apply(s, f);
	suppress_note_unused(s, f);
	assert_int_equal(f->notes.count, 1);
	assert_string_equal(f->notes.at[0],
			    "the suppression [transient-data] at x.supp:4 matched nothing (the old cache)");
	assert_string_equal(f->at[0].reason, "why");
	suppress_free(s);
	findings_free(f);
}

/* ---- writing ---- */

static void test_write(void **state)
{
	struct findings *f = sample_all();
	struct suppress *s;
	char path[4200];
	struct err err;

	snprintf(path, sizeof(path), "%s/new.supp", (const char *)*state);
	assert_int_equal(suppress_write(f, path, &err), 0);
	if (suppress_read(&s, path, &err) < 0)
		fail_msg("%s", err.sentence);
	suppress_apply(s, f);
	for (size_t i = 0; i < f->count; i++)
		assert_int_equal(f->at[i].state, FINDING_SUPPRESSED);
	suppress_note_unused(s, f);
	assert_int_equal(f->notes.count, 0);
	assert_string_equal(f->at[0].reason, "found by an earlier run, not examined yet");
	suppress_free(s);
	findings_free(f);
	f = sample_new();
	assert_int_equal(suppress_write(f, "/nowhere/x", &err), -1);
	findings_free(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_mistakes), scratch_test(test_unreadable), cmocka_unit_test(test_frames),
		cmocka_unit_test(test_kinds),    cmocka_unit_test(test_quotes), cmocka_unit_test(test_unused),
		scratch_test(test_write),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
