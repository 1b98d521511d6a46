/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Messages and names, sorting, and what makes a run fail. */
#include <string.h>

#include "finding/finding.h"
#include "finding/message.h"
#include "sample.h"
#include "scratch.h"

/* ---- tables ---- */

/* Every sentence can be filled in, and names only places that exist. */
static void test_messages(void **state)
{
	struct findings *f = sample_new();
	struct finding *finding = sample_add(f, KIND_MISSING_FLUSH, SEVERITY_ERROR, 1);
	char text[4096];

	(void)state;
	sample_frame(f, &finding->stack, "put", "/src/kv.c", 118, "kv");
	for (unsigned i = 0; i < SIGHTING_RELATED_MAX; i++) {
		struct finding_related *related = sample_relate(f, finding, i == 1 ? ROLE_FENCE : ROLE_FLUSH);

		sample_frame(f, &related->stack, "there", "/src/there.c", 10 + i, "kv");
	}
	for (unsigned v = 0; v < FORM_COUNT; v++) {
		const struct form *form = form_get((enum finding_form)v);

		message_fill(finding, form->message, text, sizeof(text));
		assert_null(strpbrk(text, "{}"));
		assert_true(*text && text[strlen(text) - 1] != '.');
		message_fill(finding, form->fix, text, sizeof(text));
		assert_null(strpbrk(text, "{}"));
	}
	message_fill(finding, "{here} {flush} {fence} {flush2} {{x}", text, sizeof(text));
	assert_string_equal(text, "kv.c:118 there.c:10 there.c:11 there.c:12 {x}");
	assert_true(message_distinct(finding, "{here} {flush} {fence} {flush2} {bytes} {bytes} {are} {are} {{"));
	assert_false(message_distinct(finding, "{here}, {fence} or {fence}"));
	finding->first.size = 8;
	message_fill(finding, "{bytes} {are} stored, {their} line", text, sizeof(text));
	assert_string_equal(text, "8 bytes are stored, their line");
	finding->first.size = 1;
	message_fill(finding, "{bytes} {are} stored, {their} line", text, sizeof(text));
	assert_string_equal(text, "1 byte is stored, its line");
	message_fill(finding, "{here} {flush}", text, 12);
	assert_string_equal(text, "kv.c:118 th");
	findings_free(f);
}

/* A library may flush or fence twice in one call.  Then the sentence says where in the library; the fix cannot. */
static void test_message_inside(void **state)
{
	struct findings *f = sample_new();
	struct finding *finding = sample_add(f, KIND_REDUNDANT_FENCE, SEVERITY_PERFORMANCE, 1);
	char text[4096];

	(void)state;
	sample_frame(f, &finding->stack, "drain", "/lib/drain.c", 7, "libpmemobj.so.1");
	sample_frame(f, &finding->stack, "pmemobj_tx_commit", "/lib/tx.c", 20, "libpmemobj.so.1");
	sample_frame(f, &finding->stack, "put", "/src/kv.c", 118, "kv");
	struct finding_stack *other = &sample_relate(f, finding, ROLE_FENCE)->stack;
	sample_frame(f, other, "drain", "/lib/drain.c", 7, "libpmemobj.so.1");
	sample_frame(f, other, "pmemobj_tx_commit", "/lib/tx.c", 10, "libpmemobj.so.1");
	sample_frame(f, other, "put", "/src/kv.c", 118, "kv");
	message_fill(finding, "{here} after {fence}", text, sizeof(text));
	assert_string_equal(text, "kv.c:118 after kv.c:118 (tx.c:10 in pmemobj_tx_commit)");
	assert_false(message_distinct(finding, "{here} or {fence}"));
	other->frames[1].line = 20;
	message_fill(finding, "{here} after {fence}", text, sizeof(text));
	assert_string_equal(text, "kv.c:118 after kv.c:118");
	/* Without symbols, the function that the program calls is known, but those inside the library are not. */
	other->frames[1].line = finding->stack.frames[1].line = 0;
	other->frames[0] = (struct finding_frame){.module = "libpmemobj.so.1", .offset = 0x10};
	message_fill(finding, "{here} after {fence}", text, sizeof(text));
	assert_string_equal(text, "kv.c:118 after kv.c:118 (in pmemobj_tx_commit)");
	findings_free(f);
}

static void test_names(void **state)
{
	enum severity severity;
	enum related_role role;

	(void)state;
	for (unsigned k = 0; k < KIND_COUNT; k++) {
		const char *name = kind_get((enum finding_kind)k)->name;

		assert_int_equal(kind_find(name, strlen(name)), k);
	}
	assert_int_equal(kind_find("missing", 7), KIND_NONE);
	/* A registered kind is a kind like others; one that is known is not registered again. */
	char name[] = "custom:x";
	unsigned count = kind_count();
	enum finding_kind own = kind_register(&(struct kind){.name = name,
							     .class = CLASS_ORDERING,
							     .severity = SEVERITY_WARNING,
							     .line = "l",
							     .class_text = "mine"});
	name[0] = 'C';
	assert_int_equal(own, count);
	assert_int_equal(kind_count(), count + 1);
	assert_int_equal(kind_find("custom:x", 8), own);
	assert_string_equal(kind_get(own)->help, "l");
	assert_string_equal(kind_class(kind_get(own)), "mine");
	assert_string_equal(kind_class(kind_get(KIND_MISSING_FENCE)), "durability");
	assert_int_equal(kind_register(&(struct kind){.name = "missing-flush"}), KIND_MISSING_FLUSH);
	assert_int_equal(kind_count(), count + 1);
	assert_false(kind_name_is_valid("a b") || kind_name_is_valid(""));
	assert_true(severity_find("performance", &severity) && severity == SEVERITY_PERFORMANCE);
	assert_false(severity_find("", &severity));
	assert_true(role_find("guard", &role) && role == ROLE_GUARD);
	assert_false(role_find("other", &role));
}

/* ---- sorting and failure ---- */

static void test_order(void **state)
{
	struct findings *f = sample_new();
	static const struct {
		enum severity severity;
		uint64_t count;
		uint32_t line;
		enum finding_state state;
	} given[] = {
		{SEVERITY_WARNING, 9, 1, FINDING_ACTIVE}, {SEVERITY_ERROR, 1, 20, FINDING_ACTIVE},
		{SEVERITY_ERROR, 1, 3, FINDING_ACTIVE},   {SEVERITY_ERROR, 99, 4, FINDING_SUPPRESSED},
		{SEVERITY_ERROR, 2, 50, FINDING_ACTIVE},  {SEVERITY_PERFORMANCE, 1, 6, FINDING_ACTIVE},
	};
	static const uint32_t lines[] = {50, 3, 20, 6, 1, 4};

	(void)state;
	for (size_t i = 0; i < 6; i++) {
		struct finding *finding = sample_add(f, KIND_MISSING_FLUSH, given[i].severity, given[i].count);

		finding->state = given[i].state;
		sample_frame(f, &finding->stack, "put", "/src/kv.c", given[i].line, "kv");
	}
	findings_number(f);
	for (size_t i = 0; i < 6; i++)
		assert_int_equal(stack_location(&f->at[i].stack)->line, lines[i]);
	assert_string_equal(f->at[5].id, "F6");
	assert_string_equal(f->at[2].id, "F3");
	assert_int_equal(findings_count(f, SEVERITY_ERROR), 3);
	assert_int_equal(findings_silenced(f), 1);
	findings_free(f);
}

static void test_fail_on(void **state)
{
	struct findings *f = sample_new();
	enum severity lowest;
	bool never;

	(void)state;
	assert_true(fail_on_parse("error", &lowest, &never) && lowest == SEVERITY_ERROR && !never);
	assert_true(fail_on_parse("warning", &lowest, &never) && lowest == SEVERITY_WARNING && !never);
	assert_true(fail_on_parse("never", &lowest, &never) && never);
	assert_false(fail_on_parse("all", &lowest, &never));
	assert_false(findings_fail(f, SEVERITY_WARNING));
	struct finding *finding = sample_add(f, KIND_REDUNDANT_FLUSH, SEVERITY_PERFORMANCE, 1);
	assert_false(findings_fail(f, SEVERITY_ERROR));
	assert_true(findings_fail(f, SEVERITY_PERFORMANCE));
	assert_true(findings_fail(f, SEVERITY_WARNING));
	finding->state = FINDING_KNOWN;
	assert_false(findings_fail(f, SEVERITY_WARNING));
	findings_free(f);
}

static void test_frame_text(void **state)
{
	struct finding_frame frame = {.file = "kv.c", .line = 3, .function = "put", .module = "kv", .offset = 0x12};
	char text[64], small[8];

	(void)state;
	frame_text(&frame, text, sizeof(text));
	assert_string_equal(text, "kv.c:3 in put");
	frame_text(&frame, small, sizeof(small));
	assert_string_equal(small, "kv.c:3");
	frame.line = 0;
	frame_text(&frame, text, sizeof(text));
	assert_string_equal(text, "put (kv+0x12)");
	frame.function = NULL;
	frame_text(&frame, text, sizeof(text));
	assert_string_equal(text, "kv+0x12");
	frame.module = "k\x1b\nv";
	frame_text(&frame, text, sizeof(text));
	assert_string_equal(text, "k\\033\\012v+0x12");
	frame_text(NULL, text, sizeof(text));
	assert_string_equal(text, "an unknown place");
}

/* A function is identified by its name, not by template arguments; short names are unchanged. */
static void test_function_plain(void **state)
{
#define LONG "std::vector<std::pair<int, std::less<int> >, std::allocator<char> >"
	static const char *const cases[][2] = {
		{"put", "put"},
		{"map<int>::put<char>", "map<int>::put<char>"},
		{"map<" LONG " >::put<int>", "map<...>::put<...>"},
		{"map<" LONG " >::operator<< <int>", "map<...>::operator<< <...>"},
		{"map<" LONG ">::operator->", "map<...>::operator->"},
		{"map<" LONG ">::operator()", "map<...>::operator()"},
		{"map<&" LONG "::operator-> >::f", "map<...>::f"},
		{"map<" LONG "::put", "map<" LONG "::put"}, /* malformed: unchanged */
	};
#undef LONG
	char text[200];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		function_plain(text, sizeof(text), cases[i][0]);
		assert_string_equal(text, cases[i][1]);
	}
	function_plain(text, 4, "put_all");
	assert_string_equal(text, "put");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_messages),       cmocka_unit_test(test_message_inside),
		cmocka_unit_test(test_names),          cmocka_unit_test(test_order),
		cmocka_unit_test(test_fail_on),        cmocka_unit_test(test_frame_text),
		cmocka_unit_test(test_function_plain),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
