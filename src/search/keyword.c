/* SPDX-License-Identifier: GPL-2.0-or-later */
/* keyword.c - see keyword.h. */
#include "search/keyword.h"

#include <ctype.h>
#include <string.h>

#include "base/map.h"
#include "base/vec.h"
#include "solve/normal.h"

#define FILLER '0'

enum {
	LOOKED_AT_MOST = 4096, /* expressions */
	ROOM = 4               /* bytes that a word grows if the keyword may be longer */
};

/* A byte of the input, and what it was compared with. */
struct compared {
	uint64_t input; /* as in struct expression */
	uint8_t byte;
};

struct look {
	const struct expressions *x;
	struct map known; /* expressions */
	VEC_OF(uint32_t) todo;
	VEC_OF(struct compared)
	compared; /* low bits of vectors first: whatever lies behind the texts is compared, too */
};

static void expression_push(struct look *l, uint32_t id)
{
	uint64_t *known = map_put(&l->known, id, 0);

	if (!*known && l->known.count < LOOKED_AT_MOST)
		vec_push(&l->todo, id);
	*known = 1;
}

/* Bytes that are compared together are told apart.  A compiler may compare by XOR, whose result is then compared with 0. */
static void comparison_take(struct look *l, uint32_t id, uint64_t value)
{
	const struct expression *e = expressions_at(l->x, id);

	if (e->kind == BO_EXPR_ZEXT)
		e = expressions_at(l->x, e->operand[0]);
	while (e->kind == BO_EXPR_CONCAT) {
		const struct expression *low = expressions_at(l->x, e->operand[1]);

		if (low->kind == BO_EXPR_INPUT)
			vec_push(&l->compared, ((struct compared){low->own, (uint8_t)value}));
		value >>= low->width;
		e = expressions_at(l->x, e->operand[0]);
	}
	if (e->kind == BO_EXPR_INPUT)
		vec_push(&l->compared, ((struct compared){e->own, (uint8_t)value}));
}

/* Do texts differ in bytes that do not depend on input?  Then those after them do not matter. */
static bool differs_before(const struct look *l, const struct expression *e)
{
	uint64_t value;

	return e->kind == BO_EXPR_CONCAT && expressions_at(l->x, e->operand[0])->width == 1 &&
	       constant_of(l->x, e->operand[1], &value) &&
	       value != bo_width_mask(expressions_at(l->x, e->operand[1])->width);
}

/* The last operand that is pushed is looked at first: the low part of a concatenation. */
static void expression_look(struct look *l, uint32_t id)
{
	const struct expression *e = expressions_at(l->x, id);
	uint64_t value;

	if (differs_before(l, e)) {
		l->todo.count = 0;
		return;
	}
	for (unsigned i = 0; i < bo_expression_operands(e->kind); i++) {
		if ((e->kind == BO_EXPR_EQ || e->kind == BO_EXPR_XOR) && constant_of(l->x, e->operand[i], &value))
			comparison_take(l, e->operand[!i], value);
		expression_push(l, e->operand[i]);
	}
}

/* The bytes that were compared first, one after the other.  Later ones may be behind the text.  Without any byte, the text should
 * end there. */
static void keyword_take(struct keyword *keyword, const struct look *l)
{
	uint64_t first = l->compared.at[0].input;

	keyword->size = 0;
	for (size_t i = 0; i < l->compared.count && keyword->size < KEYWORD_MOST; i++) {
		const struct compared *c = &l->compared.at[i];

		if (!c->byte)
			continue; /* is it the end of the text? */
		if (!keyword->size)
			first = c->input;
		if (c->input != first + keyword->size)
			break;
		keyword->bytes[keyword->size++] = c->byte;
	}
	keyword->source = (uint32_t)(first >> BO_EXPR_SOURCE_SHIFT);
	keyword->offset = first & bo_width_mask(BO_EXPR_SOURCE_SHIFT);
}

/* Words have no bytes that are not printed, and neither has what is compared behind them. */
static bool is_word(const struct look *l)
{
	for (size_t i = 0; i < l->compared.count; i++)
		if (l->compared.at[i].byte && !isgraph(l->compared.at[i].byte))
			return false;
	return l->compared.count;
}

/* A solver would have put it in place. */
static bool is_single_byte(const struct expressions *x, uint32_t condition)
{
	uint32_t compared = compared_with_constant(x, condition);

	return compared && expressions_at(x, compared)->kind == BO_EXPR_INPUT;
}

/* If several conditions must hold at once, a solver finds single bytes, so the keyword is in another one. */
static uint32_t word_condition(const struct expressions *x, uint32_t condition)
{
	const struct expression *e = expressions_at(x, condition);

	while ((e->kind == BO_EXPR_AND || e->kind == BO_EXPR_OR) && e->width == 1) {
		condition = e->operand[is_single_byte(x, e->operand[0])];
		e = expressions_at(x, condition);
	}
	return condition;
}

bool keyword_find(struct keyword *keyword, const struct expressions *x, uint32_t condition)
{
	struct look l = {.x = x};

	*keyword = (struct keyword){0};
	condition = word_condition(x, condition);
	expression_push(&l, condition);
	while (l.todo.count)
		expression_look(&l, l.todo.at[--l.todo.count]);
	if (is_word(&l) && (!is_single_byte(x, condition) || !l.compared.at[0].byte))
		keyword_take(keyword, &l);
	map_free(&l.known);
	vec_free(&l.todo);
	vec_free(&l.compared);
	return keyword->source;
}

/* Letters and digits; or, if there are none or they are right already, whatever there is before its end. */
static size_t word_size(const struct keyword *keyword, const struct input_bytes *bytes)
{
	size_t at = (size_t)keyword->offset, end = at;

	while (end < bytes->size && isalnum(bytes->at[end]))
		end++;
	bool is_there = end - at == keyword->size && !memcmp(bytes->at + at, keyword->bytes, keyword->size);
	if ((end == at || is_there) && keyword->end > end && keyword->end <= bytes->size)
		end = (size_t)keyword->end;
	return end - at;
}

bool keyword_put(const struct keyword *keyword, struct input *input, size_t source, size_t most)
{
	const struct input_bytes *from = &input->of[source];
	size_t at = (size_t)keyword->offset, old = word_size(keyword, from);
	VEC_OF(uint8_t) bytes = {0};

	if (at > from->size || (!old && !keyword->size) || at + keyword->size + ROOM > most)
		return false;
	vec_append(&bytes, from->at, at);
	vec_append(&bytes, keyword->bytes, keyword->size);
	for (size_t i = 0; old == keyword->size && i < ROOM; i++)
		vec_push(&bytes, FILLER);
	vec_append(&bytes, from->at + at + old, from->size - at - old);
	input_set(input, source, bytes.at, bytes.count < most ? bytes.count : most);
	vec_free(&bytes);
	return true;
}
