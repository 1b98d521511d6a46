/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Expressions against a second definition of their meaning, which works bit by bit, as the theory of bit vectors does. */
#include <string.h>

#include "base/mem.h"
#include "base/random.h"
#include "expression/evaluation.h"
#include "expression/variables.h"
#include "scratch.h"

/* A number as its bits, the lowest first. */
struct bits {
	unsigned width;
	uint8_t at[128];
};

static struct bits bits_of(uint64_t value, unsigned width)
{
	struct bits bits = {.width = width};

	for (unsigned i = 0; i < width; i++)
		bits.at[i] = value >> i & 1;
	return bits;
}

static uint64_t bits_value(const struct bits *bits)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < bits->width; i++)
		value |= (uint64_t)bits->at[i] << i;
	return value;
}

static bool bits_sign(struct bits a)
{
	return a.at[a.width - 1];
}

/* As many bits of `a` as `width` says, beginning at bit `low`; above its own bits there is `fill`. */
static struct bits bits_take(struct bits a, unsigned low, unsigned width, uint8_t fill)
{
	struct bits result = {.width = width};

	for (unsigned i = 0; i < width; i++)
		result.at[i] = low + i < a.width ? a.at[low + i] : fill;
	return result;
}

static struct bits bits_not(struct bits a)
{
	for (unsigned i = 0; i < a.width; i++)
		a.at[i] ^= 1;
	return a;
}

static struct bits bits_add(struct bits a, struct bits b, unsigned carry)
{
	for (unsigned i = 0; i < a.width; i++) {
		carry += a.at[i] + b.at[i];
		a.at[i] = carry & 1;
		carry >>= 1;
	}
	return a;
}

static struct bits bits_sub(struct bits a, struct bits b)
{
	return bits_add(a, bits_not(b), 1);
}

static struct bits bits_neg(struct bits a)
{
	return bits_sub(bits_of(0, a.width), a);
}

static bool bits_below(struct bits a, struct bits b)
{
	for (unsigned i = a.width; i-- > 0;) {
		if (a.at[i] != b.at[i])
			return b.at[i];
	}
	return false;
}

static bool bits_below_signed(struct bits a, struct bits b)
{
	return bits_sign(a) != bits_sign(b) ? bits_sign(a) : bits_below(a, b);
}

static bool bits_zero(struct bits a)
{
	for (unsigned i = 0; i < a.width; i++) {
		if (a.at[i])
			return false;
	}
	return true;
}

/* Move up by one bit. */
static struct bits bits_double(struct bits a)
{
	memmove(a.at + 1, a.at, a.width - 1);
	a.at[0] = 0;
	return a;
}

/* The whole product, twice as wide. */
static struct bits bits_multiply(struct bits a, struct bits b, bool with_sign)
{
	unsigned width = a.width * 2;
	struct bits sum = {.width = width}, step = bits_take(a, 0, width, with_sign && bits_sign(a));

	b = bits_take(b, 0, width, with_sign && bits_sign(b));
	for (unsigned i = 0; i < width; i++, step = bits_double(step)) {
		if (b.at[i])
			sum = bits_add(sum, step, 0);
	}
	return sum;
}

/* Long division: quotient or rest. */
static struct bits bits_divide(struct bits a, struct bits b, bool want_rest)
{
	/* The rest has a bit more, because it is doubled before the divisor is taken from it. */
	struct bits rest = {.width = a.width + 1}, quotient = {.width = a.width};

	if (bits_zero(b))
		return want_rest ? a : bits_not(quotient);
	b = bits_take(b, 0, a.width + 1, 0);
	for (unsigned i = a.width; i-- > 0;) {
		rest = bits_double(rest);
		rest.at[0] = a.at[i];
		if (!bits_below(rest, b)) {
			rest = bits_sub(rest, b);
			quotient.at[i] = 1;
		}
	}
	return want_rest ? bits_take(rest, 0, a.width, 0) : quotient;
}

/* SMT-LIB: signs are taken off, and put back. */
static struct bits bits_divide_signed(struct bits a, struct bits b, bool want_rest)
{
	bool negative = want_rest ? bits_sign(a) : bits_sign(a) != bits_sign(b);
	struct bits result = bits_divide(bits_sign(a) ? bits_neg(a) : a, bits_sign(b) ? bits_neg(b) : b, want_rest);

	return negative ? bits_neg(result) : result;
}

static struct bits bits_shift(struct bits a, struct bits count, enum bo_expression kind)
{
	uint8_t fill = kind == BO_EXPR_ASHR && bits_sign(a);

	for (uint64_t n = bits_value(&count), i = 0; i < n && i < a.width; i++)
		a = kind == BO_EXPR_SHL ? bits_double(a) : bits_take(bits_take(a, 1, a.width - 1, 0), 0, a.width, fill);
	return a;
}

static unsigned bits_count(struct bits a, enum bo_expression kind)
{
	unsigned ones = 0, first = a.width, last = a.width;

	for (unsigned i = 0; i < a.width; i++) {
		ones += a.at[i];
		if (a.at[i] && first == a.width)
			first = i;
		if (a.at[i])
			last = a.width - 1 - i;
	}
	return kind == BO_EXPR_POPCOUNT ? ones : kind == BO_EXPR_CTZ ? first : last;
}

static struct bits bits_logic(struct bits a, struct bits b, enum bo_expression kind)
{
	for (unsigned i = 0; i < a.width; i++)
		a.at[i] = kind == BO_EXPR_AND  ? a.at[i] & b.at[i]
			  : kind == BO_EXPR_OR ? a.at[i] | b.at[i]
					       : a.at[i] ^ b.at[i];
	return a;
}

static struct bits bits_concat(struct bits high, struct bits low)
{
	struct bits result = bits_take(low, 0, high.width + low.width, 0);

	memcpy(result.at + low.width, high.at, high.width);
	return result;
}

/* The second definition. */
static struct bits slow_compute(const struct expression *e, const struct bits *v)
{
	struct bits a = v[0], b = v[1];

	switch (e->kind) {
	case BO_EXPR_NOT: return bits_not(a);
	case BO_EXPR_NEG: return bits_neg(a);
	case BO_EXPR_EXTRACT: return bits_take(a, (unsigned)e->own, e->width, 0);
	case BO_EXPR_ZEXT: return bits_take(a, 0, e->width, 0);
	case BO_EXPR_SEXT: return bits_take(a, 0, e->width, bits_sign(a));
	case BO_EXPR_CLZ:
	case BO_EXPR_CTZ:
	case BO_EXPR_POPCOUNT: return bits_of(bits_count(a, e->kind), e->width);
	case BO_EXPR_ADD: return bits_add(a, b, 0);
	case BO_EXPR_SUB: return bits_sub(a, b);
	case BO_EXPR_MUL: return bits_take(bits_multiply(a, b, false), 0, a.width, 0);
	case BO_EXPR_MULHU: return bits_take(bits_multiply(a, b, false), a.width, a.width, 0);
	case BO_EXPR_MULHS: return bits_take(bits_multiply(a, b, true), a.width, a.width, 0);
	case BO_EXPR_UDIV: return bits_divide(a, b, false);
	case BO_EXPR_UREM: return bits_divide(a, b, true);
	case BO_EXPR_SDIV: return bits_divide_signed(a, b, false);
	case BO_EXPR_SREM: return bits_divide_signed(a, b, true);
	case BO_EXPR_AND:
	case BO_EXPR_OR:
	case BO_EXPR_XOR: return bits_logic(a, b, e->kind);
	case BO_EXPR_SHL:
	case BO_EXPR_LSHR:
	case BO_EXPR_ASHR: return bits_shift(a, b, e->kind);
	case BO_EXPR_CONCAT: return bits_concat(a, b);
	case BO_EXPR_EQ: return bits_of(bits_zero(bits_logic(a, b, BO_EXPR_XOR)), 1);
	case BO_EXPR_ULT: return bits_of(bits_below(a, b), 1);
	case BO_EXPR_ULE: return bits_of(!bits_below(b, a), 1);
	case BO_EXPR_SLT: return bits_of(bits_below_signed(a, b), 1);
	case BO_EXPR_SLE: return bits_of(!bits_below_signed(b, a), 1);
	case BO_EXPR_ITE: return a.at[0] ? b : v[2];
	default: fail_msg("kind %u has no second definition", e->kind);
	}
	return a;
}

static uint32_t add(struct expressions *x, unsigned kind, unsigned width, uint64_t own, uint32_t a, uint32_t b,
		    uint32_t c)
{
	return expressions_add(x, &(struct expression){.kind = (uint8_t)kind,
						       .width = (uint8_t)width,
						       .own = own,
						       .operand = {a, b, c}});
}

static uint32_t add_const(struct expressions *x, unsigned width, uint64_t value)
{
	return add(x, BO_EXPR_CONST, width, value & bo_width_mask(width), 0, 0, 0);
}

static uint32_t add_input(struct expressions *x, uint32_t source, uint64_t offset)
{
	return add(x, BO_EXPR_INPUT, 8, variable_of_byte(source, offset), 0, 0, 0);
}

/* Numbers at which operations change their behavior are likely. */
static uint64_t random_value(uint64_t *random)
{
	uint64_t any = random_next(random);

	switch (random_below(random, 6)) {
	case 0: return any % 70;
	case 1: return -(any % 4);
	case 2: return UINT64_C(1) << any % 64;
	case 3: return (UINT64_C(1) << any % 64) - 1;
	case 4: return any >> any % 64;
	default: return any;
	}
}

/* Widths for an expression of this kind with operands of such a width; false: there is none. */
static bool choose_widths(struct expression *e, uint8_t *widths, unsigned width, uint64_t *random)
{
	e->width = (uint8_t)width;
	e->own = 0;
	widths[0] = widths[1] = widths[2] = (uint8_t)width;
	switch (e->kind) {
	case BO_EXPR_EXTRACT:
		e->width = (uint8_t)(1 + random_below(random, width));
		e->own = random_below(random, width - e->width + 1u);
		break;
	case BO_EXPR_ZEXT:
	case BO_EXPR_SEXT: widths[0] = (uint8_t)(1 + random_below(random, width)); break;
	case BO_EXPR_CONCAT:
		if (width < 2)
			return false;
		widths[0] = (uint8_t)(1 + random_below(random, width - 1));
		widths[1] = (uint8_t)(width - widths[0]);
		break;
	case BO_EXPR_EQ:
	case BO_EXPR_ULT:
	case BO_EXPR_ULE:
	case BO_EXPR_SLT:
	case BO_EXPR_SLE: e->width = 1; break;
	case BO_EXPR_ITE: widths[0] = 1; break;
	}
	return true;
}

/* One expression over constants, evaluated both ways. */
static void check_kind(enum bo_expression kind, unsigned width, uint64_t *random)
{
	struct expressions *x = expressions_new();
	struct expression e = {.kind = (uint8_t)kind};
	struct bits bits[BO_EXPR_OPERANDS_MAX], expected;
	uint8_t widths[BO_EXPR_OPERANDS_MAX];
	struct assignment none = {0};
	uint64_t value;
	uint32_t id;

	if (choose_widths(&e, widths, width, random)) {
		for (unsigned i = 0; i < bo_expression_operands(kind); i++) {
			uint64_t operand = random_value(random) & bo_width_mask(widths[i]);

			e.operand[i] = add_const(x, widths[i], operand);
			bits[i] = bits_of(operand, widths[i]);
		}
		id = expressions_add(x, &e);
		assert_int_not_equal(id, 0);
		expected = slow_compute(&e, bits);
		value = expressions_evaluate(x, id, &none);
		if (expected.width != e.width || value != bits_value(&expected))
			fail_msg("kind %u, width %u: %#llx instead of %#llx", kind, width, (unsigned long long)value,
				 (unsigned long long)bits_value(&expected));
	}
	expressions_free(x);
}

static void test_each_kind(void **state)
{
	uint64_t random = random_seed(1, 0);

	(void)state;
	for (unsigned kind = 0; kind < BO_EXPR_COUNT; kind++) {
		if (!bo_expression_operands(kind) || kind == BO_EXPR_TABLE)
			continue;
		for (unsigned width = 1; width <= 64; width++) {
			for (unsigned i = 0; i < 40; i++)
				check_kind(kind, width, &random);
		}
	}
}

/* What SMT-LIB says where the machine traps or has no answer. */
static void test_division_by_zero(void **state)
{
	struct expressions *x = expressions_new();
	struct assignment none = {0};
	uint32_t zero = add_const(x, 8, 0), minus = add_const(x, 8, 0xff), least = add_const(x, 8, 0x80);

	(void)state;
	assert_int_equal(expressions_evaluate(x, add(x, BO_EXPR_UDIV, 8, 0, minus, zero, 0), &none), 0xff);
	assert_int_equal(expressions_evaluate(x, add(x, BO_EXPR_UREM, 8, 0, least, zero, 0), &none), 0x80);
	assert_int_equal(expressions_evaluate(x, add(x, BO_EXPR_SDIV, 8, 0, minus, zero, 0), &none), 1);
	assert_int_equal(expressions_evaluate(x, add(x, BO_EXPR_SDIV, 8, 0, zero, zero, 0), &none), 0xff);
	assert_int_equal(expressions_evaluate(x, add(x, BO_EXPR_SREM, 8, 0, least, zero, 0), &none), 0x80);
	assert_int_equal(expressions_evaluate(x, add(x, BO_EXPR_SDIV, 8, 0, least, minus, 0), &none), 0x80);
	assert_int_equal(expressions_evaluate(x, add(x, BO_EXPR_SREM, 8, 0, least, minus, 0), &none), 0);
	expressions_free(x);
}

static void test_leaves(void **state)
{
	struct expressions *x = expressions_new();
	struct assignment input = {0}, copy = {0};
	uint32_t stdin_source = expressions_add_source(x, BO_SOURCE_STDIN, "");
	uint32_t file = expressions_add_source(x, BO_SOURCE_FILE, "/tmp/a");
	uint32_t byte = add_input(x, file, 2), length = add(x, BO_EXPR_LENGTH, 64, file, 0, 0, 0);

	(void)state;
	assert_int_equal(stdin_source, 1);
	assert_int_equal(file, 2);
	assert_int_equal(expressions_add_source(x, BO_SOURCE_FILE, "/tmp/a"), file);
	assert_int_equal(expressions_add_source(x, BO_SOURCE_FILE, "/tmp/b"), 3);
	assert_int_equal(expressions_source_count(x), 3);
	assert_string_equal(expressions_source(x, file)->name, "/tmp/a");
	assert_null(expressions_source(x, 0));
	assert_null(expressions_source(x, 4));

	assert_int_equal(expressions_evaluate(x, byte, &input), 0);
	assignment_put(&input, file, "abc", 3);
	assert_int_equal(expressions_evaluate(x, byte, &input), 'c');
	assert_int_equal(expressions_evaluate(x, length, &input), 3);
	assignment_copy(&copy, &input);
	assignment_set_byte(&input, file, 5, 'z');
	assignment_set_length(&input, file, 9);
	assert_int_equal(assignment_byte(&input, file, 4), 0);
	assert_int_equal(assignment_byte(&input, file, 5), 'z');
	assert_int_equal(expressions_evaluate(x, length, &input), 9);
	assert_int_equal(assignment_byte(&copy, file, 5), 0);
	assert_int_equal(assignment_length(&copy, file), 3);
	assert_int_equal(assignment_length(&copy, stdin_source), 0);
	assignment_free(&input);
	assignment_free(&copy);
	expressions_free(x);
}

static void test_tables(void **state)
{
	struct expressions *x = expressions_new();
	struct assignment input = {0};
	uint32_t source = expressions_add_source(x, BO_SOURCE_STDIN, "");
	uint32_t table = expressions_add_table(x, 0x1000, "\1\2\3\4", 4);
	uint32_t index = add(x, BO_EXPR_ZEXT, 64, 0, add_input(x, source, 0), 0, 0);
	uint32_t load = add(x, BO_EXPR_TABLE, 16, table, index, 0, 0);

	(void)state;
	assert_int_equal(expressions_add_table(x, 0x1000, "\1\2\3\4", 4), table);
	assert_int_not_equal(expressions_add_table(x, 0x1001, "\1\2\3\4", 4), table);
	assert_int_not_equal(expressions_add_table(x, 0x1000, "\1\2\3\5", 4), table);
	assignment_put(&input, source, "\2", 1);
	assert_int_equal(expressions_evaluate(x, load, &input), 0x0403);
	assignment_put(&input, source, "\3", 1);
	assert_int_equal(expressions_evaluate(x, load, &input), 0x04);
	assignment_put(&input, source, "\4", 1);
	assert_int_equal(expressions_evaluate(x, load, &input), 0);
	assignment_free(&input);
	expressions_free(x);
}

/* Wrong expressions are refused: they come from files. */
static void test_invalid(void **state)
{
	struct expressions *x = expressions_new();
	uint32_t source = expressions_add_source(x, BO_SOURCE_STDIN, "");
	uint32_t byte = add_input(x, source, 0), bit = add_const(x, 1, 1), word = add_const(x, 64, 7);
	uint32_t count = expressions_count(x);

	(void)state;
	assert_int_equal(add(x, BO_EXPR_COUNT, 8, 0, byte, byte, 0), 0);
	assert_int_equal(add(x, BO_EXPR_CONST, 0, 0, 0, 0, 0), 0);
	assert_int_equal(add(x, BO_EXPR_CONST, 65, 0, 0, 0, 0), 0);
	assert_int_equal(add(x, BO_EXPR_CONST, 8, 0x100, 0, 0, 0), 0);
	assert_int_equal(add(x, BO_EXPR_CONST, 8, 1, byte, 0, 0), 0);
	assert_int_equal(add(x, BO_EXPR_INPUT, 16, variable_of_byte(source, 0), 0, 0, 0), 0);
	assert_int_equal(add_input(x, source + 1, 0), 0);
	assert_int_equal(add(x, BO_EXPR_LENGTH, 64, source + 1, 0, 0, 0), 0);
	assert_int_equal(add(x, BO_EXPR_LENGTH, 64, UINT64_C(1) << 32 | source, 0, 0, 0), 0);
	assert_int_equal(add(x, BO_EXPR_LENGTH, 8, source, 0, 0, 0), 0);
	assert_int_equal(add(x, BO_EXPR_TABLE, 8, 1, word, 0, 0), 0);
	assert_int_equal(add(x, BO_EXPR_ADD, 8, 0, byte, 0, 0), 0);
	assert_int_equal(add(x, BO_EXPR_ADD, 8, 0, byte, byte, byte), 0);
	assert_int_equal(add(x, BO_EXPR_ADD, 8, 0, byte, word, 0), 0);
	assert_int_equal(add(x, BO_EXPR_ADD, 16, 0, byte, byte, 0), 0);
	assert_int_equal(add(x, BO_EXPR_ADD, 8, 1, byte, byte, 0), 0);
	assert_int_equal(add(x, BO_EXPR_ADD, 8, 0, byte, count + 1, 0), 0);
	assert_int_equal(add(x, BO_EXPR_EQ, 8, 0, byte, byte, 0), 0);
	assert_int_equal(add(x, BO_EXPR_CONCAT, 64, 0, word, byte, 0), 0);
	assert_int_equal(add(x, BO_EXPR_EXTRACT, 4, 5, byte, 0, 0), 0);
	assert_int_equal(add(x, BO_EXPR_EXTRACT, 9, 0, byte, 0, 0), 0);
	assert_int_equal(add(x, BO_EXPR_ZEXT, 7, 0, byte, 0, 0), 0);
	assert_int_equal(add(x, BO_EXPR_ITE, 8, 0, byte, byte, byte), 0);
	assert_int_equal(add(x, BO_EXPR_ITE, 8, 0, bit, byte, word), 0);
	assert_int_equal(expressions_count(x), count);
	assert_int_not_equal(add(x, BO_EXPR_ITE, 8, 0, bit, byte, byte), 0);
	expressions_free(x);
}

static void test_print(void **state)
{
	struct expressions *x = expressions_new();
	uint32_t source = expressions_add_source(x, BO_SOURCE_STDIN, ""),
		 arg = expressions_add_source(x, BO_SOURCE_ARG, "2");
	uint32_t table = expressions_add_table(x, 0x1000, "abcd", 4);
	uint32_t byte = add_input(x, source, 3), wide = add(x, BO_EXPR_ZEXT, 64, 0, byte, 0, 0);
	char text[100];

	(void)state;
	expression_print(x, add(x, BO_EXPR_EQ, 1, 0, byte, add_const(x, 8, 0x41), 0), text, sizeof(text));
	assert_string_equal(text, "eq(stdin[3], 0x41)");
	expression_print(x, add(x, BO_EXPR_EXTRACT, 4, 2, add_input(x, arg, 0), 0, 0), text, sizeof(text));
	assert_string_equal(text, "extract(arg:2[0], 2..5)");
	expression_print(x, add(x, BO_EXPR_TABLE, 16, table, wide, 0, 0), text, sizeof(text));
	assert_string_equal(text, "table(zext(stdin[3], 64), 1, 16)");
	expression_print(x, add(x, BO_EXPR_LENGTH, 64, arg, 0, 0, 0), text, sizeof(text));
	assert_string_equal(text, "length(arg:2)");
	expression_print(x, add(x, BO_EXPR_LENGTH, 64, arg, 0, 0, 0), text, 14);
	assert_string_equal(text, "length(arg:2)");
	expression_print(x, add(x, BO_EXPR_LENGTH, 64, arg, 0, 0, 0), text, 13);
	assert_string_equal(text, "length(ar...");
	expressions_free(x);
}

/* The value by recursion, for small graphs. */
static uint64_t slow_value(const struct expressions *x, uint32_t id, const struct assignment *input)
{
	const struct expression *e = expressions_at(x, id);
	struct bits bits[BO_EXPR_OPERANDS_MAX], result;

	if (e->kind == BO_EXPR_CONST)
		return e->own;
	if (e->kind == BO_EXPR_INPUT)
		return assignment_byte(input, expression_input_source(e), expression_input_offset(e));
	for (unsigned i = 0; i < bo_expression_operands(e->kind); i++)
		bits[i] = bits_of(slow_value(x, e->operand[i], input), expressions_at(x, e->operand[i])->width);
	result = slow_compute(e, bits);
	return bits_value(&result);
}

static bool slow_depends(const struct expressions *x, uint32_t id, uint64_t variable)
{
	const struct expression *e = expressions_at(x, id);

	if (e->kind == BO_EXPR_INPUT)
		return e->own == variable;
	for (unsigned i = 0; i < bo_expression_operands(e->kind); i++) {
		if (slow_depends(x, e->operand[i], variable))
			return true;
	}
	return false;
}

/* Add a random expression over a few of the latest ones; try until one fits. */
static uint32_t add_random(struct expressions *x, uint64_t *random)
{
	uint32_t id = 0, recent = expressions_count(x) < 12 ? expressions_count(x) : 12;

	while (!id) {
		struct expression e = {.kind = (uint8_t)random_below(random, BO_EXPR_COUNT)};

		if (!bo_expression_operands(e.kind) || e.kind == BO_EXPR_TABLE)
			continue;
		for (unsigned i = 0; i < bo_expression_operands(e.kind); i++)
			e.operand[i] = expressions_count(x) - (uint32_t)random_below(random, recent);
		e.width = expressions_at(x, e.operand[0])->width;
		if (e.kind >= BO_EXPR_EQ && e.kind <= BO_EXPR_SLE)
			e.width = 1;
		else if (e.kind == BO_EXPR_CONCAT)
			e.width = (uint8_t)(e.width + expressions_at(x, e.operand[1])->width);
		else if (e.kind == BO_EXPR_ITE)
			e.width = expressions_at(x, e.operand[1])->width;
		id = expressions_add(x, &e);
	}
	return id;
}

static void test_random_graphs(void **state)
{
	(void)state;
	for (unsigned round = 0; round < 300; round++) {
		uint64_t random = random_seed(round, 7);
		struct expressions *x = expressions_new();
		uint32_t source = expressions_add_source(x, BO_SOURCE_STDIN, "");
		struct evaluation *evaluation = evaluation_new(x);
		struct variables *variables = variables_new(x);
		struct assignment input = {0};
		uint32_t id = 0;

		for (unsigned i = 0; i < 5; i++)
			add_input(x, source, i * (1 + round % 2));
		add_const(x, 8, random_value(&random));
		for (unsigned i = 0; i < 16; i++)
			id = add_random(x, &random);
		for (unsigned change = 0; change < 4; change++) {
			for (unsigned i = 0; i < 10; i++)
				assignment_set_byte(&input, source, i, (uint8_t)random_value(&random));
			evaluation_forget(evaluation);
			assert_int_equal(evaluation_value(evaluation, id, &input), slow_value(x, id, &input));
			/* The graph grows while its values are known. */
			id = add_random(x, &random);
			assert_int_equal(evaluation_value(evaluation, id, &input), slow_value(x, id, &input));
		}
		for (unsigned i = 0; i < 10; i++) {
			assert_int_equal(variable_set_has(variables_of(variables, id), variable_of_byte(source, i)),
					 slow_depends(x, id, variable_of_byte(source, i)));
		}
		assignment_free(&input);
		variables_free(variables);
		evaluation_free(evaluation);
		expressions_free(x);
	}
}

static void test_variables(void **state)
{
	struct expressions *x = expressions_new();
	struct variables *variables = variables_new(x);
	uint32_t source = expressions_add_source(x, BO_SOURCE_STDIN, ""), sum = add_input(x, source, 7), length, other;
	const struct variable_set *set;

	(void)state;
	for (unsigned i = 7; i-- > 0;)
		sum = add(x, BO_EXPR_ADD, 8, 0, sum, add_input(x, source, i), 0);
	set = variables_of(variables, sum);
	assert_int_equal(set->count, 1);
	assert_int_equal(set->at[0].first, variable_of_byte(source, 0));
	assert_int_equal(set->at[0].last, variable_of_byte(source, 7));
	assert_ptr_equal(variables_of(variables, add(x, BO_EXPR_XOR, 8, 0, sum, add_input(x, source, 3), 0)), set);

	length = add(x, BO_EXPR_LENGTH, 64, source, 0, 0, 0);
	assert_int_equal(variables_of(variables, length)->at[0].first, variable_of_length(source));
	assert_false(variable_sets_meet(variables_of(variables, length), set));
	other = add(x, BO_EXPR_CONCAT, 16, 0, add_input(x, source, 20), add_input(x, source, 9), 0);
	assert_int_equal(variables_of(variables, other)->count, 2);
	assert_false(variable_sets_meet(variables_of(variables, other), set));
	assert_true(
		variable_sets_meet(variables_of(variables, other), variables_of(variables, add_input(x, source, 20))));
	assert_int_equal(variables_of(variables, add_const(x, 8, 1))->count, 0);
	variables_free(variables);
	expressions_free(x);
}

/* A chain of 10^6 expressions, each of which is used twice by the next one: neither the stack nor the time may follow the
 * number of paths. */
static void test_deep(void **state)
{
	struct expressions *x = expressions_new();
	struct variables *variables = variables_new(x);
	uint32_t source = expressions_add_source(x, BO_SOURCE_STDIN, ""), id = add_input(x, source, 0);
	struct assignment input = {0};
	uint8_t expected = 5;
	char text[64];

	(void)state;
	assignment_put(&input, source, "\5", 1);
	for (unsigned i = 0; i < 500000; i++) {
		id = add(x, BO_EXPR_ADD, 8, 0, id, id, 0);
		id = add(x, BO_EXPR_XOR, 8, 0, id, add_const(x, 8, i % 251), 0);
		expected = (uint8_t)((expected + expected) ^ i % 251);
	}
	assert_true(expressions_count(x) > 1000000);
	assert_int_equal(expressions_evaluate(x, id, &input), expected);
	assert_int_equal(variables_of(variables, id)->count, 1);
	expression_print(x, id, text, sizeof(text));
	assert_int_equal(strlen(text), sizeof(text) - 1);
	assert_string_equal(text + strlen(text) - 3, "...");
	assignment_free(&input);
	variables_free(variables);
	expressions_free(x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_kind), cmocka_unit_test(test_division_by_zero),
		cmocka_unit_test(test_leaves),    cmocka_unit_test(test_tables),
		cmocka_unit_test(test_invalid),   cmocka_unit_test(test_print),
		cmocka_unit_test(test_variables), cmocka_unit_test(test_random_graphs),
		cmocka_unit_test(test_deep),
	};

	return cmocka_run_group_tests_name("expression", tests, NULL, NULL);
}
