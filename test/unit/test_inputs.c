/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The layer INPUTS is read back: expressions, the branches that they decide, and what was read; and what no recorder
 * writes is refused. */
#include <string.h>

#include "builder.h"
#include "expression/evaluation.h"
#include "scratch.h"

/* A module, a context, a source, a table of 4 bytes. */
static void start(struct builder *b, uint32_t process, const char *source)
{
	builder_start(b, process, BO_LAYER_INPUTS | BO_LAYER_FOLLOW);
	builder_put(b, BO_OP_DEF_MODULE, 0x400000, 0x2000, 0, 1, 1, BUILDER_P("/bin/program"));
	builder_put(b, BO_OP_DEF_CONTEXT, 0, 1, 0x100);
	builder_put(b, BO_OP_DEF_SOURCE, BO_SOURCE_FILE, BUILDER_P(source));
	builder_put(b, BO_OP_DEF_TABLE, 0x1000, BUILDER_P("\1\2\3\4"), 4);
}

static void put_expression(struct builder *b, uint64_t kind, uint64_t width, uint64_t own, const char *operands)
{
	builder_put(b, BO_OP_DEF_EXPRESSION, kind, width, own, BUILDER_P(operands), strlen(operands));
}

#define BYTE(source, offset) ((uint64_t)(source) << BO_EXPR_SOURCE_SHIFT | (offset))

/* 1: byte 5 of the source; 2: 0x41; 3: they are equal. */
static void put_comparison(struct builder *b)
{
	put_expression(b, BO_EXPR_INPUT, 8, BYTE(1, 5), "");
	put_expression(b, BO_EXPR_CONST, 8, 0x41, "");
	put_expression(b, BO_EXPR_EQ, 1, 0, "\2\1");
}

static struct trace *finish(struct builder *b, const char *dir)
{
	builder_end(b, BO_CHUNK_RAW);
	builder_write(b, dir);
	return scratch_open(dir);
}

static void expect_text(const struct trace *t, uint32_t expression, const char *expected)
{
	char text[256];

	expression_print(trace_expressions(t), expression, text, sizeof(text));
	assert_string_equal(text, expected);
}

static void test_events(void **state)
{
	struct builder b;
	struct trace *t;
	struct event ev;

	start(&b, 0, "/in");
	put_comparison(&b);
	builder_put(&b, BO_OP_INPUT, 1, 1, 4, 100, 7);
	builder_put(&b, BO_OP_BRANCH, 1, BO_BRANCH_JUMP, 3, 1, 1, 0x234);
	builder_put(&b, BO_OP_CONVERSATION, 1, BO_CONVERSATION_RECEIVED, BUILDER_P("hello"), 5);
	builder_put(&b, BO_OP_VALUE, 1, 0x41);
	builder_put(&b, BO_OP_DEF_BLOCK, 1, 0x230, 9);
	t = finish(&b, *state);

	ev = scratch_next(t, EVENT_INPUT);
	assert_string_equal(expressions_source(trace_expressions(t), ev.source)->name, "/in");
	assert_int_equal(ev.offset, 4);
	assert_int_equal(ev.value, 100);
	assert_int_equal(ev.size, 7);
	assert_int_equal(ev.context, 1);
	ev = scratch_next(t, EVENT_BRANCH);
	expect_text(t, ev.expression, "eq(file:/in[5], 0x41)");
	assert_int_equal(ev.flags, BO_BRANCH_JUMP);
	assert_int_equal(ev.value, 1);
	assert_int_equal(ev.module, 1);
	assert_int_equal(ev.offset, 0x234);
	ev = scratch_next(t, EVENT_CONVERSATION);
	assert_string_equal(expressions_source(trace_expressions(t), ev.source)->name, "/in");
	assert_int_equal(ev.flags, BO_CONVERSATION_RECEIVED);
	assert_int_equal(ev.size, 5);
	assert_memory_equal(ev.data, "hello", 5);
	ev = scratch_next(t, EVENT_VALUE);
	expect_text(t, ev.expression, "file:/in[5]");
	assert_int_equal(ev.value, 0x41);
	scratch_end(t);
	assert_int_equal(trace_block(t, 0)->module, 1);
	assert_int_equal(trace_block(t, 0)->offset, 0x230);
	assert_int_equal(trace_block(t, 0)->size, 9);
	assert_null(trace_block(t, 1));
	trace_close(t);
}

/* Tables and lengths have ids of their own. */
static void test_tables(void **state)
{
	struct assignment input = {0};
	struct builder b;
	struct trace *t;
	struct event ev;

	start(&b, 0, "/in");
	builder_put(&b, BO_OP_DEF_TABLE, 0x2000, BUILDER_P("\5\6\7\10"), 4);
	put_expression(&b, BO_EXPR_LENGTH, 64, 1, "");
	put_expression(&b, BO_EXPR_TABLE, 16, 2, "\1");
	builder_put(&b, BO_OP_VALUE, 2, 0);
	t = finish(&b, *state);
	ev = scratch_next(t, EVENT_VALUE);
	assignment_set_length(&input, 1, 1);
	assert_int_equal(expressions_evaluate(trace_expressions(t), ev.expression, &input), 0x0706);
	assignment_free(&input);
	scratch_end(t);
	trace_close(t);
}

/* Two processes, each with ids of its own: equal expressions are one, also if their sources have other ids. */
static void test_processes(void **state)
{
	struct builder b;
	struct trace *t;
	struct event first, second;

	start(&b, 0, "/in");
	put_comparison(&b);
	builder_put(&b, BO_OP_CLOCK, 1);
	builder_put(&b, BO_OP_BRANCH, 1, BO_BRANCH_CONDITION, 3, 1, 0, 0);
	builder_end(&b, BO_CHUNK_RAW);
	builder_write(&b, *state);
	start(&b, 1, "/other");
	builder_put(&b, BO_OP_DEF_SOURCE, BO_SOURCE_FILE, BUILDER_P("/in"));
	put_expression(&b, BO_EXPR_CONST, 8, 0x41, "");
	put_expression(&b, BO_EXPR_INPUT, 8, BYTE(2, 5), "");
	put_expression(&b, BO_EXPR_EQ, 1, 0, "\1\2");
	builder_put(&b, BO_OP_CLOCK, 2);
	builder_put(&b, BO_OP_BRANCH, 1, BO_BRANCH_CONDITION, 3, 1, 0, 0);
	t = finish(&b, *state);
	first = scratch_next(t, EVENT_BRANCH);
	second = scratch_next(t, EVENT_BRANCH);
	assert_int_equal(first.process, 0);
	assert_int_equal(second.process, 1);
	assert_int_equal(first.expression, second.expression);
	assert_int_equal(first.module, 0);
	assert_int_equal(expressions_source_count(trace_expressions(t)), 2);
	scratch_end(t);
	trace_close(t);
}

#define REFUSE(dir, why, ...)                    \
	do {                                     \
		struct builder b;                \
                                                 \
		start(&b, 0, "/in");             \
		put_comparison(&b);              \
		builder_put(&b, __VA_ARGS__);    \
		builder_end(&b, BO_CHUNK_RAW);   \
		builder_write(&b, dir);          \
		scratch_expect_damage(dir, why); \
	} while (0)

#define EXPRESSION(kind, width, own, operands) \
	BO_OP_DEF_EXPRESSION, kind, width, own, BUILDER_P(operands), sizeof(operands) - 1

static void test_damage(void **state)
{
	static const char undefined[] = "an expression of something that was not defined before";

	REFUSE(*state, "a source of input of an unknown kind", BO_OP_DEF_SOURCE, BO_SOURCE_COUNT, BUILDER_P(""));
	REFUSE(*state, "an expression of an unknown kind or width", EXPRESSION(BO_EXPR_COUNT, 8, 0, ""));
	REFUSE(*state, "an expression of an unknown kind or width", EXPRESSION(BO_EXPR_CONST, 65, 0, ""));
	REFUSE(*state, "an expression that cannot be", EXPRESSION(BO_EXPR_CONST, 0, 0, ""));
	REFUSE(*state, "an expression that cannot be", EXPRESSION(BO_EXPR_ADD, 8, 0, "\1\2"));
	REFUSE(*state, undefined, EXPRESSION(BO_EXPR_INPUT, 8, BYTE(2, 0), ""));
	REFUSE(*state, undefined, EXPRESSION(BO_EXPR_INPUT, 8, BYTE(0, 0), ""));
	REFUSE(*state, undefined, EXPRESSION(BO_EXPR_LENGTH, 64, 2, ""));
	REFUSE(*state, undefined, EXPRESSION(BO_EXPR_TABLE, 8, 2, "\1"));
	REFUSE(*state, undefined, EXPRESSION(BO_EXPR_NOT, 1, 0, ""));
	REFUSE(*state, undefined, EXPRESSION(BO_EXPR_NOT, 1, 0, "\0"));
	REFUSE(*state, undefined, EXPRESSION(BO_EXPR_NOT, 8, 0, "\4"));
	REFUSE(*state, undefined, EXPRESSION(BO_EXPR_NOT, 1, 0, "\1\1"));
	REFUSE(*state, "a branch of an unknown kind", BO_OP_BRANCH, 1, BO_BRANCH_COUNT, 3, 1, 0, 0);
	REFUSE(*state, "expression 4 was not defined before", BO_OP_BRANCH, 1, 0, 4, 1, 0, 0);
	REFUSE(*state, "expression 0 was not defined before", BO_OP_BRANCH, 1, 0, 0, 1, 0, 0);
	REFUSE(*state, "a branch on more than one bit", BO_OP_BRANCH, 1, 0, 1, 1, 0, 0);
	REFUSE(*state, "a branch on more than one bit", BO_OP_BRANCH, 1, 0, 3, 2, 0, 0);
	REFUSE(*state, "module 2 was not defined before", BO_OP_BRANCH, 1, 0, 3, 1, 2, 0);
	REFUSE(*state, "module 2 was not defined before", BO_OP_DEF_BLOCK, 2, 0, 1);
	REFUSE(*state, "module 0 was not defined before", BO_OP_DEF_BLOCK, 0, 0, 1);
	REFUSE(*state, "source 2 was not defined before", BO_OP_INPUT, 1, 2, 0, 1, 1);
	REFUSE(*state, "input of an impossible range", BO_OP_INPUT, 1, 1, 0, 1, 2);
	REFUSE(*state, "input of an impossible range", BO_OP_INPUT, 1, 1, 1ull << 48, 1, 1);
	REFUSE(*state, "source 2 was not defined before", BO_OP_CONVERSATION, 2, 0, BUILDER_P(""), 0);
	REFUSE(*state, "a conversation of an unknown kind", BO_OP_CONVERSATION, 1, BO_CONVERSATION_COUNT, BUILDER_P(""),
	       0);
	REFUSE(*state, "expression 9 was not defined before", BO_OP_VALUE, 9, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		scratch_test(test_events),
		scratch_test(test_tables),
		scratch_test(test_processes),
		scratch_test(test_damage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
