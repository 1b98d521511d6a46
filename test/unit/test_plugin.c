/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_plugin.c - the parts of plug-ins that need no plug-in: patterns of functions, the log that two processes share, a
 * process that is watched, registered forms. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "finding/message.h"
#include "plugin/child.h"
#include "plugin/pattern.h"
#include "plugin/wire.h"

/* ---- patterns ---- */

static void patterns_match_as_the_recorder_does(void **state)
{
	static const struct {
		const char *pattern, *symbol, *name, *module;
		bool matches;
	} cases[] = {
		{"f", "f", "f", "/bin/p", true},
		{"f", "ff", "ff", "/bin/p", false},
		{"f*", "ff", "ff", "/bin/p", true},
		{"?", "f", "f", "/bin/p", true},
		{"*a*b*", "xxaxxaxb", "xxaxxaxb", NULL, true},
		{"*a*b", "xxaxxaxbx", "xxaxxaxbx", NULL, false},
		{"f", "f@@V1", "f@@V1", "/bin/p", true},
		{"f", "f.constprop.0", "f.constprop.0", "/bin/p", true},
		{"f", "f.isra.0", "f.isra.0", "/bin/p", true},
		{"f", "f.part.0", "f.part.0", "/bin/p", false},
		{"p:f", "f", "f", "/bin/p", true},
		{"q:f", "f", "f", "/bin/p", false},
		{"/bin/p:f", "f", "f", "/bin/p", true},
		{"lib*.so*:f", "f", "f", "/lib/libx.so.1.2", true},
		{"libx.so.1:f", "f", "f", "/lib/libx.so.1.2", true},
		{"p:f", "f", "f", NULL, false},
		{"a::f", "_ZN1a1fEi", "a::f(int)", "/bin/p", true},
		{"p:a::f", "_ZN1a1fEi", "a::f(int)", "/bin/p", true},
		{"a::f(int)", "_ZN1a1fEi", "a::f(int)", "/bin/p", true},
		{"a::f(long)", "_ZN1a1fEi", "a::f(int)", "/bin/p", false},
		{"a::operator[]", "_ZN1aixEi", "a::operator[](int)", "/bin/p", true},
		{"a::f<int>", "x", "a::f<int>(b<int(int)>)", "/bin/p", true},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		if (pattern_matches(cases[i].pattern, cases[i].symbol, cases[i].name, cases[i].module) !=
		    cases[i].matches)
			fail_msg("%s on %s", cases[i].pattern, cases[i].name);
}

static void patterns_cover_others(void **state)
{
	(void)state;
	assert_true(pattern_covers("f", "f"));
	assert_true(pattern_covers("f*", "fg"));
	assert_true(pattern_covers("*", "p:f"));
	assert_true(pattern_covers("p:*", "p:f*"));
	assert_true(pattern_covers("f*", "fg*"));
	assert_false(pattern_covers("fg*", "f*"));
	assert_false(pattern_covers("p:*", "f"));
	assert_false(pattern_covers("p:*", "q:f"));
	assert_false(pattern_covers("f", "g"));
	assert_true(pattern_covers("a::*", "a::f"));
}

/* ---- the log ---- */

static void records_come_back(void **state)
{
	struct wire *wire = wire_new();
	const struct wire_report report = {.count = 2, .place = 7};
	const char *const texts[] = {"a message", NULL};
	struct wire_report read;
	struct wire_record record;
	struct wire_copy copy;
	struct arena arena = {0};
	const char *text;

	(void)state;
	assert_non_null(wire_put(wire, WIRE_REPORT, &report, sizeof(report), texts, 2));
	assert_non_null(wire_put(wire, WIRE_CALL, NULL, 0, texts, 1));
	copy = wire_take(wire);
	assert_true(wire_next(&copy, &record));
	assert_int_equal(record.type, WIRE_REPORT);
	assert_true(wire_fixed(&record, &read, sizeof(read)));
	assert_memory_equal(&read, &report, sizeof(read));
	assert_true(wire_text(&record, &arena, &text));
	assert_string_equal(text, "a message");
	assert_true(wire_text(&record, &arena, &text));
	assert_string_equal(text, "");
	assert_false(wire_text(&record, &arena, &text));
	assert_true(wire_next(&copy, &record));
	assert_int_equal(record.type, WIRE_CALL);
	assert_false(wire_fixed(&record, &read, sizeof(read)));
	assert_false(wire_next(&copy, &record));
	assert_int_equal(copy.at, copy.size);
	free((void *)copy.bytes);
	arena_free(&arena);
	wire_free(wire);
}

static void texts_are_cleaned(void **state)
{
	static const char odd[] = "a\x01"
				  "b\x1b[31m\n\xff\xc3\xa4";
	struct wire_record record = {WIRE_CALL, (const uint8_t *)odd, sizeof(odd)};
	struct wire_record help = record;
	struct arena arena = {0};
	const char *text;

	(void)state;
	assert_true(wire_text(&record, &arena, &text));
	assert_string_equal(text, "a b [31m ?\xc3\xa4");
	assert_true(wire_help(&help, &arena, &text));
	assert_string_equal(text, "a b [31m\n?\xc3\xa4");
	arena_free(&arena);
}

static void a_full_log_takes_no_more(void **state)
{
	struct wire *wire = wire_new();
	char *text = mem_alloc(WIRE_HELP_MAX + 100);
	const char *const texts[] = {text};
	size_t count = 0;

	(void)state;
	memset(text, 'x', WIRE_HELP_MAX + 99);
	while (wire_put(wire, WIRE_CALL, NULL, 0, texts, 1))
		count++;
	assert_int_equal(count, WIRE_BYTES / (WIRE_HELP_MAX + 16));
	assert_true(wire->used <= WIRE_BYTES);
	wire->used = UINT64_MAX; /* as after nonsense of the plug-in */
	assert_null(wire_put(wire, WIRE_CALL, NULL, 0, texts, 1));
	struct wire_copy copy = wire_take(wire);
	assert_int_equal(copy.size, WIRE_BYTES);
	free((void *)copy.bytes);
	free(text);
	wire_free(wire);
}

/* ---- processes ---- */

static void end_well(void *arg)
{
	((struct wire *)arg)->done = true;
}

static void end_at_once(void *arg)
{
	(void)arg;
	_exit(4);
}

static void wait_forever(void *arg)
{
	wire_at(arg, WIRE_IN_STORE);
	((struct wire *)arg)->event = 12;
	for (;;)
		pause();
}

static struct child child_run(void (*work)(void *), double seconds)
{
	struct child child = {.wire = wire_new(), .limits = {seconds, 1 << 30}};
	struct err err;

	assert_int_equal(child_start(&child, work, child.wire, &err), 0);
	for (unsigned turn = 0; !child_poll(&child); turn++)
		child_pause(turn);
	return child;
}

static void ends_are_told(void **state)
{
	struct child child = child_run(end_well, 10);
	char text[200];

	(void)state;
	assert_int_equal(child.end, CHILD_DONE);
	child_close(&child);
	child = child_run(end_at_once, 10);
	assert_int_equal(child.end, CHILD_EXITED);
	child_end_text(&child, text, sizeof(text));
	assert_string_equal(text, "ended its process with status 4");
	child_close(&child);
	child = child_run(wait_forever, 0.1);
	assert_int_equal(child.end, CHILD_HUNG);
	child_end_text(&child, text, sizeof(text));
	assert_string_equal(text, "did not return within 0.1 s in its callback `store`, at event 12");
	child_close(&child);
}

/* Closing one that runs ends it. */
static void nothing_is_left(void **state)
{
	struct child child = {.wire = wire_new(), .limits = {1000, 1 << 30}};
	struct err err;
	pid_t pid;

	(void)state;
	assert_int_equal(child_start(&child, wait_forever, child.wire, &err), 0);
	pid = child.pid;
	assert_false(child_poll(&child));
	child_close(&child);
	assert_int_not_equal(kill(pid, 0), 0);
}

/* ---- messages of plug-ins ---- */

static void only_known_words_are_filled(void **state)
{
	(void)state;
	assert_true(message_knows("no words"));
	assert_true(message_knows("{here} {store} {flush2} {bytes} {{nonsense}"));
	assert_false(message_knows("{nonsense}"));
	assert_false(message_knows("a brace {"));
	assert_false(message_knows("{here"));
	assert_false(message_knows("{}"));
	assert_false(message_knows("{point}")); /* only crash findings have one */
}

static void equal_forms_are_one(void **state)
{
	struct form form = {KIND_MISSING_FLUSH, SEVERITY_WARNING, "a message", ""};
	enum finding_form first = form_register(&form);

	(void)state;
	assert_true((unsigned)first >= FORM_COUNT);
	assert_int_equal(form_register(&form), first);
	assert_string_equal(form_get(first)->message, "a message");
	form.fix = "a fix";
	assert_int_equal(form_register(&form), first + 1);
	form.severity = SEVERITY_ERROR;
	assert_int_equal(form_register(&form), first + 2);
	assert_int_equal(form_get(first)->severity, SEVERITY_WARNING);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(patterns_match_as_the_recorder_does),
		cmocka_unit_test(patterns_cover_others),
		cmocka_unit_test(records_come_back),
		cmocka_unit_test(texts_are_cleaned),
		cmocka_unit_test(a_full_log_takes_no_more),
		cmocka_unit_test(ends_are_told),
		cmocka_unit_test(nothing_is_left),
		cmocka_unit_test(only_known_words_are_filled),
		cmocka_unit_test(equal_forms_are_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
