/* SPDX-License-Identifier: GPL-2.0-or-later */
/* number.c - see number.h. */
#include "search/number.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "expression/evaluation.h"
#include "solve/normal.h"

enum {
	DEPTH_MOST = 24,
	NUMBERS_MOST = 8,
	BASE_MOST = 16,
	APART_MOST = 4096, /* between the digits' value and the one that is compared; */
	APART_DIGIT = 16,  /* if it is a single digit */
	NEGATIVE_MOST = 1 << 30,
};

struct finder {
	const struct expressions *x;
	const struct assignment *input;
	struct variables *variables;
	struct evaluation *evaluation;
	struct number_list *numbers;
};

/* A value that an expression shall have. */
struct target {
	uint32_t expression;
	uint64_t value;
};

static uint64_t mask_of(const struct finder *f, uint32_t id)
{
	return bo_width_mask(expressions_at(f->x, id)->width);
}

/* As a number with a sign. */
static int64_t extend(uint64_t value, unsigned width)
{
	return (int64_t)(value << (64 - width)) >> (64 - width);
}

/* The number that is meant by a value.  Bytes are seldom negative. */
static int64_t number_of(uint64_t value, unsigned width)
{
	int64_t number = extend(value, width);

	return number >= 0 || (width >= 32 && number > -NEGATIVE_MOST) ? number
								       : (int64_t)(value & bo_width_mask(width));
}

/* ---- digits ---- */

static char byte_at(const struct finder *f, const struct number *number, uint64_t offset)
{
	return (char)assignment_byte(f->input, number->source, offset);
}

/* The bytes of the input that an expression depends on, if they follow each other in one source.  Zeros before them are part of
 * the number: on a path where they are known to be zeros, they are in no expression. */
static bool digits_find(const struct finder *f, uint32_t id, struct number *number, char text[NUMBER_DIGITS + 1])
{
	const struct variable_set *set = variables_of(f->variables, id);
	uint64_t first = set->count ? set->at[0].first : 0;

	if (set->count != 1 || set->at[0].last - first >= NUMBER_DIGITS)
		return false;
	*number = (struct number){.source = (uint32_t)(first >> BO_EXPR_SOURCE_SHIFT),
				  .offset = first & bo_width_mask(BO_EXPR_SOURCE_SHIFT),
				  .size = (size_t)(set->at[0].last - first + 1)};
	if (number->offset + number->size > assignment_length(f->input, number->source))
		return false;
	while (number->offset && number->size < NUMBER_DIGITS && byte_at(f, number, number->offset - 1) == '0') {
		number->offset--;
		number->size++;
	}
	for (size_t i = 0; i < number->size; i++)
		text[i] = byte_at(f, number, number->offset + i);
	text[number->size] = 0;
	return isxdigit((unsigned char)*text);
}

/* How far the value is from that of the text, at most.  Characters themselves are further apart: '7' from 7, "00" from 0. */
static int64_t apart_most(const struct finder *f, uint32_t id)
{
	const struct variable_set *set = variables_of(f->variables, id);

	return set->at[0].first == set->at[0].last ? APART_DIGIT : APART_MOST;
}

/* False: the text is no number that the value has to do with. */
static bool apart_from(const char *text, int base, uint64_t value, unsigned width, int64_t most, int64_t *apart)
{
	char *end;
	int64_t by = extend(value - strtoull(text, &end, base), width);

	*apart = by;
	return !*end && by <= most && by >= -most;
}

static bool is_negative(const struct finder *f, const struct number *number, const char *text, uint64_t value,
			unsigned width)
{
	return number->offset && byte_at(f, number, number->offset - 1) == '-' &&
	       extend(value + strtoull(text, NULL, 10), width) == 0;
}

/* Numbers that are filled up with zeros stay as long as they are. */
static void text_fill(struct number *number, int64_t value, bool hexadecimal, bool filled)
{
	int size = filled ? (int)number->size : 1;

	if (hexadecimal)
		snprintf(number->text, sizeof(number->text), "%0*" PRIx64, size, (uint64_t)value);
	else if (value < 0 && value > -NEGATIVE_MOST)
		snprintf(number->text, sizeof(number->text), "%" PRId64, value);
	else
		snprintf(number->text, sizeof(number->text), "%0*" PRIu64, size, (uint64_t)value);
}

static bool number_take(const struct finder *f, struct target target)
{
	unsigned width = expressions_at(f->x, target.expression)->width;
	uint64_t value = evaluation_value(f->evaluation, target.expression, f->input);
	char text[NUMBER_DIGITS + 1];
	struct number number;
	bool hexadecimal = false;
	int64_t apart, most;

	if (value == target.value || f->numbers->all.count == NUMBERS_MOST ||
	    !digits_find(f, target.expression, &number, text))
		return false;
	most = apart_most(f, target.expression);
	if (is_negative(f, &number, text, value, width)) {
		number.offset--;
		number.size++;
		apart = 0;
	} else if (!apart_from(text, 10, value, width, most, &apart)) {
		hexadecimal = true;
		if (!apart_from(text, 16, value, width, most, &apart))
			return false;
	}
	text_fill(&number, number_of(target.value - (uint64_t)apart, width), hexadecimal,
		  *text == '0' && number.size > 1);
	vec_push(&f->numbers->all, number);
	return true;
}

/* ---- values ---- */

static bool value_take(const struct finder *f, struct target target, unsigned depth);

static bool both_take(const struct finder *f, struct target a, struct target b, unsigned depth)
{
	bool taken = value_take(f, a, depth);

	return value_take(f, b, depth) || taken;
}

/* a * constant + b, where b is smaller than the constant.  Digits of one number are not told apart. */
static bool sum_take(const struct finder *f, const struct expression *e, uint64_t value, unsigned depth)
{
	for (unsigned i = 0; i < 2; i++) {
		const struct expression *product = expressions_at(f->x, e->operand[i]);
		uint64_t factor;

		if (product->kind != BO_EXPR_MUL)
			continue;
		for (unsigned k = 0; k < 2; k++)
			if (constant_of(f->x, product->operand[k], &factor) && factor > BASE_MOST)
				return both_take(f, (struct target){product->operand[!k], value / factor},
						 (struct target){e->operand[!i], value % factor}, depth);
	}
	return false;
}

/* A compiler may compare several numbers at once: (a ^ 1 | b ^ 2) == 0. */
static bool bits_take(const struct finder *f, const struct expression *e, uint64_t value, unsigned depth)
{
	uint64_t constant;

	if (e->kind == BO_EXPR_OR)
		return !value &&
		       both_take(f, (struct target){e->operand[0], 0}, (struct target){e->operand[1], 0}, depth);
	for (unsigned i = 0; i < 2; i++)
		if (constant_of(f->x, e->operand[i], &constant))
			return value_take(f, (struct target){e->operand[!i], value ^ constant}, depth);
	return false;
}

/* Make the expression have the value, by numbers of its parts if it is none itself. */
static bool value_take(const struct finder *f, struct target target, unsigned depth)
{
	const struct expression *e = expressions_at(f->x, target.expression);
	unsigned low;

	if (depth == DEPTH_MOST)
		return false;
	if (e->kind != BO_EXPR_XOR && number_take(f, target))
		return true;
	switch (e->kind) {
	case BO_EXPR_ZEXT:
	case BO_EXPR_SEXT:
		return value_take(f, (struct target){e->operand[0], target.value & mask_of(f, e->operand[0])},
				  depth + 1);
	case BO_EXPR_EXTRACT: return !e->own && value_take(f, (struct target){e->operand[0], target.value}, depth + 1);
	case BO_EXPR_CONCAT:
		low = expressions_at(f->x, e->operand[1])->width;
		return both_take(f, (struct target){e->operand[0], target.value >> low},
				 (struct target){e->operand[1], target.value & bo_width_mask(low)}, depth + 1);
	case BO_EXPR_OR:
	case BO_EXPR_XOR: return bits_take(f, e, target.value, depth + 1);
	case BO_EXPR_ADD: return sum_take(f, e, target.value, depth + 1);
	default: return false;
	}
}

/* ---- conditions ---- */

/* The value next to a constant for which a comparison is as wanted.  `left`: the constant is. */
static uint64_t boundary(enum bo_expression kind, uint64_t constant, bool left, bool wanted)
{
	bool strict = kind == BO_EXPR_ULT || kind == BO_EXPR_SLT;

	if (kind == BO_EXPR_EQ)
		return wanted ? constant : constant + 1;
	if (wanted)
		return !strict ? constant : left ? constant + 1 : constant - 1;
	return strict ? constant : left ? constant - 1 : constant + 1;
}

static bool condition_take(const struct finder *f, uint32_t id, bool wanted, unsigned depth);

static bool comparison_take(const struct finder *f, const struct expression *e, bool wanted, unsigned depth)
{
	for (unsigned i = 0; i < 2; i++) {
		uint32_t other = e->operand[!i];
		uint64_t constant;

		if (!constant_of(f->x, e->operand[i], &constant))
			continue;
		if (expressions_at(f->x, other)->width == 1)
			return e->kind == BO_EXPR_EQ && condition_take(f, other, constant == wanted, depth + 1);
		return value_take(f,
				  (struct target){other, boundary((enum bo_expression)e->kind, constant, !i, wanted) &
								 mask_of(f, other)},
				  0);
	}
	return false;
}

static bool condition_take(const struct finder *f, uint32_t id, bool wanted, unsigned depth)
{
	const struct expression *e = expressions_at(f->x, id);
	bool any;

	if (depth == DEPTH_MOST || evaluation_value(f->evaluation, id, f->input) == wanted)
		return false;
	switch (e->kind) {
	case BO_EXPR_NOT: return condition_take(f, e->operand[0], !wanted, depth + 1);
	case BO_EXPR_AND:
	case BO_EXPR_OR:
		any = condition_take(f, e->operand[0], wanted, depth + 1);
		return condition_take(f, e->operand[1], wanted, depth + 1) || any;
	case BO_EXPR_EQ:
	case BO_EXPR_ULT:
	case BO_EXPR_ULE:
	case BO_EXPR_SLT:
	case BO_EXPR_SLE: return comparison_take(f, e, wanted, depth);
	default: return false;
	}
}

static int number_compare(const void *left, const void *right)
{
	const struct number *a = left, *b = right;

	return a->offset < b->offset ? -1 : a->offset > b->offset;
}

bool numbers_find(struct number_list *numbers, const struct expressions *x, uint32_t condition, bool wanted,
		  const struct assignment *input)
{
	struct finder f = {
		.x = x,
		.input = input,
		.variables = variables_new(x),
		.evaluation = evaluation_new(x),
		.numbers = numbers,
	};
	bool found = condition_take(&f, condition, wanted, 0);

	if (found)
		qsort(numbers->all.at, numbers->all.count, sizeof(*numbers->all.at), number_compare);
	variables_free(f.variables);
	evaluation_free(f.evaluation);
	return found;
}

void numbers_put(const struct number_list *numbers, uint32_t source, const uint8_t *from, size_t size,
		 number_bytes *bytes)
{
	size_t done = 0;

	for (size_t i = 0; i < numbers->all.count; i++) {
		const struct number *n = &numbers->all.at[i];

		/* Of two numbers in one place, the first counts. */
		if (n->source != source || n->offset < done || n->offset + n->size > size)
			continue;
		vec_append(bytes, from + done, n->offset - done);
		vec_append(bytes, n->text, strlen(n->text));
		done = n->offset + n->size;
	}
	vec_append(bytes, from + done, size - done);
}

void numbers_free(struct number_list *numbers)
{
	vec_free(&numbers->all);
}
