/* SPDX-License-Identifier: GPL-2.0-or-later */
/* known.c - see known.h. */
#include "solve/known.h"

enum { WORK_MAX = 20000000 /* expressions; after that, all stay as they are */ };

static uint32_t constant(struct expressions *x, uint64_t value, uint8_t width)
{
	return expressions_add(x, &(struct expression){.kind = BO_EXPR_CONST, .width = width, .own = value});
}

void known_put(struct known *known, struct expressions *x, uint32_t id, uint64_t value)
{
	struct expression e = *expressions_at(x, id);
	uint64_t *entry;

	if (e.kind == BO_EXPR_CONST)
		return;
	entry = map_put(&known->values, id, 0);
	if (*entry)
		return;
	*entry = constant(x, value, e.width);
	/* What was made simpler before may become simpler still. */
	map_free(&known->simpler);
}

void known_free(struct known *known)
{
	map_free(&known->values);
	map_free(&known->simpler);
	vec_free(&known->waiting);
}

static uint32_t simpler_of(const struct known *known, uint32_t id)
{
	const uint64_t *simpler = map_get(&known->simpler, id, 0);

	return simpler ? (uint32_t)*simpler : 0;
}

static bool operands_wait(struct known *known, const struct expression *e)
{
	size_t before = known->waiting.count;

	for (unsigned i = 0; i < bo_expression_operands(e->kind); i++) {
		if (!simpler_of(known, e->operand[i]))
			vec_push(&known->waiting, e->operand[i]);
	}
	return known->waiting.count > before;
}

/* The value of an expression whose operands are constants. */
static uint64_t compute(const struct expressions *x, const struct expression *e)
{
	uint64_t values[BO_EXPR_OPERANDS_MAX] = {0};
	uint8_t widths[BO_EXPR_OPERANDS_MAX] = {0};

	for (unsigned i = 0; i < bo_expression_operands(e->kind); i++) {
		values[i] = expressions_at(x, e->operand[i])->own;
		widths[i] = expressions_at(x, e->operand[i])->width;
	}
	if (e->kind == BO_EXPR_TABLE)
		return expression_table_load(expressions_table(x, (uint32_t)e->own), values[0], e->width);
	return bo_expression_compute(e->kind, e->width, e->own, values, widths);
}

/* What a constant makes of an operation, if that needs no operation any more: x & 0 is 0, and x | 0 is x.  0: nothing. */
static uint32_t absorb(const struct expressions *x, const struct expression *e)
{
	for (unsigned i = 0; i < 2; i++) {
		const struct expression *c = expressions_at(x, e->operand[i]);
		uint64_t ones = bo_width_mask(c->width);

		if (c->kind != BO_EXPR_CONST || (c->own && c->own != ones))
			continue;
		switch (e->kind) {
		case BO_EXPR_AND: return c->own ? e->operand[!i] : e->operand[i];
		case BO_EXPR_OR: return c->own ? e->operand[i] : e->operand[!i];
		case BO_EXPR_XOR:
		case BO_EXPR_ADD:
			if (!c->own)
				return e->operand[!i];
			break;
		default: break;
		}
	}
	return 0;
}

/* The expression with simpler operands. */
static uint32_t rebuild(const struct known *known, struct expressions *x, struct expression e)
{
	bool all_constant = bo_expression_operands(e.kind) > 0;

	for (unsigned i = 0; i < bo_expression_operands(e.kind); i++) {
		e.operand[i] = simpler_of(known, e.operand[i]);
		all_constant &= expressions_at(x, e.operand[i])->kind == BO_EXPR_CONST;
	}
	if (all_constant)
		return constant(x, compute(x, &e), e.width);
	if (e.kind == BO_EXPR_ITE && expressions_at(x, e.operand[0])->kind == BO_EXPR_CONST)
		return e.operand[expressions_at(x, e.operand[0])->own ? 1 : 2];
	uint32_t rest = bo_expression_operands(e.kind) == 2 ? absorb(x, &e) : 0;
	return rest ? rest : expressions_add(x, &e);
}

uint32_t known_apply(struct known *known, struct expressions *x, uint32_t id)
{
	if (!known->values.count || known->work > WORK_MAX)
		return id;
	vec_push(&known->waiting, id);
	while (known->waiting.count) {
		uint32_t next = known->waiting.at[known->waiting.count - 1];
		const uint64_t *value = map_get(&known->values, next, 0);

		if (!simpler_of(known, next)) {
			if (!value && operands_wait(known, expressions_at(x, next)))
				continue;
			uint32_t simpler = value ? (uint32_t)*value : rebuild(known, x, *expressions_at(x, next));
			value = map_get(&known->values, simpler, 0);
			*map_put(&known->simpler, next, 0) = value ? *value : simpler;
			known->work++;
		}
		known->waiting.count--;
	}
	return simpler_of(known, id);
}
