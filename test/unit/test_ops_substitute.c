/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The words {ops}, {first} and {out} in commands: what is replaced, what is left alone, and what /bin/sh makes of
 * it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ops/substitute.h"
#include "scratch.h"

static const struct substitution values = {.ops = "/b/ops-1", .out = "/b/out", .first = 18};

typedef char *substitute_fn(const char *text, const struct substitution *values, unsigned *words);

static void expect(substitute_fn *substitute, const char *text, const char *result, unsigned words)
{
	unsigned found;
	char *got = substitute(text, &values, &found);

	assert_string_equal(got, result);
	assert_int_equal(found, words);
	free(got);
	/* Without values, the words are found, and nothing is replaced. */
	got = substitute(text, NULL, &found);
	assert_string_equal(got, text);
	assert_int_equal(found, words);
	free(got);
}

static void test_words(void **state)
{
	static const struct {
		const char *text, *result;
		unsigned words;
	} cases[] = {
		{"", "", 0},
		{"{ops}", "/b/ops-1", SUBSTITUTE_OPS},
		{"--ops={ops},{ops}", "--ops=/b/ops-1,/b/ops-1", SUBSTITUTE_OPS},
		{"{first}{out}", "18/b/out", SUBSTITUTE_FIRST | SUBSTITUTE_OUT},
		{"{{ops}}", "{/b/ops-1}", SUBSTITUTE_OPS},
		{"{} {foo} {ops {OPS} { ops } ops}", "{} {foo} {ops {OPS} { ops } ops}", 0},
		{"${ops} ${first} ${out:-1}", "${ops} ${first} ${out:-1}", 0},
		{"{o{ops}ps}", "{o/b/ops-1ps}", SUBSTITUTE_OPS},
		{"{op", "{op", 0},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		expect(substitute_argument, cases[i].text, cases[i].result, cases[i].words);
		expect(substitute_shell, cases[i].text, cases[i].result, cases[i].words);
	}
	/* Only the shell knows escapes and comments. */
	expect(substitute_argument, "\\{ops}", "\\/b/ops-1", SUBSTITUTE_OPS);
	expect(substitute_shell, "\\{ops} \\\\{ops}", "\\{ops} \\\\/b/ops-1", SUBSTITUTE_OPS);
	expect(substitute_shell, "a # {ops}\nb{first}", "a # {ops}\nb18", SUBSTITUTE_FIRST);
	expect(substitute_argument, "a # {ops}", "a # /b/ops-1", SUBSTITUTE_OPS);
	/* What is not closed is copied to its end. */
	expect(substitute_shell, "'{ops}", "'/b/ops-1", SUBSTITUTE_OPS);
	expect(substitute_shell, "\"`$({ops}", "\"`$(/b/ops-1", SUBSTITUTE_OPS);
	expect(substitute_shell, "{ops}\\", "/b/ops-1\\", SUBSTITUTE_OPS);
	(void)state;
}

/* An argument is never quoted. */
static void test_argument(void **state)
{
	struct substitution odd = {.ops = "/a b/it's \"$x\"", .out = "{ops}"};
	char *got = substitute_argument("x={ops} {out}", &odd, NULL);

	assert_string_equal(got, "x=/a b/it's \"$x\" {ops}");
	free(got);
	(void)state;
}

/* Run a command in the shell; it must print exactly `expected`. */
static void expect_printed(const char *template, const char *path, const char *expected)
{
	struct substitution odd = {.ops = path, .out = "/o"};
	char *command = substitute_shell(template, &odd, NULL), printed[4096];
	FILE *pipe = popen(command, "r");

	assert_non_null(pipe);
	size_t size = fread(printed, 1, sizeof(printed) - 1, pipe);
	printed[size] = '\0';
	if (pclose(pipe) || strcmp(printed, expected))
		fail_msg("%s with %s: %s prints %s", template, path, command, printed);
	free(command);
}

static void test_shell(void **state)
{
	/* Each prints the path between two brackets. */
	static const char *const commands[] = {
		"printf '[%s]' {ops}",
		"printf '[%s]' \"{ops}\"",
		"printf '[%s]' '{ops}'",
		"printf [{ops}] | cat >/dev/null; printf '[%s]' {ops}",
		"x={ops}; printf '[%s]' \"$x\"",
		"x={ops} sh -c 'printf \"[%s]\" \"$x\"'",
		"printf '%s' \"[{ops}]\"",
		"printf '%s' '['{ops}']'",
		"printf '[%s]' \"$(printf '%s' {ops}x)\" | sed 's/x]$/]/'",
		"printf '[%s]' \"$(printf '%s' \"{ops}\"x)\" | sed 's/x]$/]/'",
		"printf '[%s]' \"$(printf '%s' '{ops}'x)\" | sed 's/x]$/]/'",
		"x=$(printf '%s' {ops}x); printf '[%s]' \"${x%x}\"",
		"x=`printf '%s' {ops}x`; printf '[%s]' \"${x%x}\"",
		"x=`printf '%s' '{ops}'x`; printf '[%s]' \"${x%x}\"",
		"x=`printf '%s' \"{ops}\"x`; printf '[%s]' \"${x%x}\"",
		"printf '[%s]' \"${none:-{ops}}\"",
		"printf '[%s]' ${none:-{ops}}",
		"printf '[%s]' ${none:-\"{ops}\"}",
		"(printf '[%s]' {ops})",
		": it\\'s; printf '[%s]' {ops}",
		": \"it's\"; printf '[%s]' {ops}",
		": \"\\\"\"; printf '[%s]' {ops}",
		": 'a\"b'; printf '[%s]' '{ops}'",
		": # it's \"\nprintf '[%s]' {ops}",
		": a#'b; c'; printf '[%s]' \"{ops}\"",
		": $((1 + (2))) $#; printf '[%s]' {ops}",
		"case a in a) printf '[%s]' {ops} ;; esac",
		"{ printf '[%s]' {ops}; }",
	};
	static const char *const paths[] = {
		"/tmp/plain-1.2",   "/tmp/a b",       "/tmp/it's",           "/tmp/\"q\"",
		"/tmp/$HOME/$(id)", "/tmp/`id`",      "/tmp/back\\slash",    "/tmp/\\\\a\\",
		"/tmp/a*b?[c]",     "/tmp/new\nline", "/tmp/a;b&c|d<e>f(g)", "/tmp/{ops}",
		"/tmp/a}b",         "/tmp/\xc3\xbc",  "/tmp/#a ~!",          "'",
	};
	char expected[100];

	for (size_t p = 0; p < sizeof(paths) / sizeof(*paths); p++)
		for (size_t c = 0; c < sizeof(commands) / sizeof(*commands); c++) {
			snprintf(expected, sizeof(expected), "[%s]", paths[p]);
			expect_printed(commands[c], paths[p], expected);
		}
	(void)state;
}

static void test_only_words(void **state)
{
	char *const arguments[] = {"kv", "--from={first}", "'{ops}'", "{other}"};

	assert_int_equal(substitute_words_in_arguments(arguments, 4), SUBSTITUTE_OPS | SUBSTITUTE_FIRST);
	assert_int_equal(substitute_words_in_arguments(arguments, 1), 0);
	assert_int_equal(substitute_words_in_shell("kv >{out}"), SUBSTITUTE_OUT);
	assert_int_equal(substitute_words_in_shell("kv ${out}"), 0);
	assert_int_equal(substitute_words_in_shell(NULL), 0);
	(void)state;
}

static void test_refuse(void **state)
{
	struct err err;

	assert_int_equal(substitute_refuse(SUBSTITUTE_FIRST | SUBSTITUTE_OUT, "--recover", &err), 0);
	assert_int_equal(substitute_refuse(SUBSTITUTE_OPS, "--recover", &err), -1);
	assert_int_equal(err.status, ERR_USAGE);
	assert_string_equal(err.sentence, "--recover has {ops}, but there is no --ops");
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_words),      cmocka_unit_test(test_argument), cmocka_unit_test(test_shell),
		cmocka_unit_test(test_only_words), cmocka_unit_test(test_refuse),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
