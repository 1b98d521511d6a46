/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bulk.c - see bulk.h. */
#include "search/bulk.h"

#include "solve/normal.h"

enum {
	BULK_MANY = 1 + 256,
	BULK_LEAST = 8 /* bytes that are compared at once */
};

static uint16_t join_compared(uint16_t a, uint16_t b)
{
	if (!a || a == b)
		return b;
	return b ? BULK_MANY : a;
}

static struct bulk_use join(struct bulk_use a, struct bulk_use b)
{
	unsigned count = a.count + b.count;

	return (struct bulk_use){
		.compared = join_compared(a.compared, b.compared),
		.count = count < UINT8_MAX ? (uint8_t)count : UINT8_MAX,
		.length = a.length || b.length,
		.reads = a.reads || b.reads,
	};
}

static bool is_input(const struct expressions *x, uint32_t id)
{
	return expressions_at(x, id)->kind == BO_EXPR_INPUT;
}

static struct bulk_use use_of(const struct bulk *bulk, const struct expressions *x, uint32_t id)
{
	const struct expression *e = expressions_at(x, id);
	struct bulk_use use = {.length = e->kind == BO_EXPR_LENGTH, .reads = e->kind == BO_EXPR_INPUT};
	uint32_t compared = compared_with_constant(x, id);
	uint64_t value = 0;

	if (compared && is_input(x, compared)) {
		constant_of(x, e->operand[e->operand[0] == compared], &value);
		return (struct bulk_use){.compared = (uint16_t)(1 + value), .count = 1};
	}
	for (unsigned i = 0; i < bo_expression_operands(e->kind); i++)
		use = join(use, bulk->of.at[e->operand[i]]);
	return use;
}

/* Whether there is anything left is a question of its own. */
static bool compares_with_zero(const struct expressions *x, uint32_t id)
{
	const struct expression *e = expressions_at(x, id);
	uint64_t value;

	return bo_expression_operands(e->kind) == 2 && constant_of(x, e->operand[1], &value) && !value;
}

bool bulk_is(struct bulk *bulk, const struct expressions *x, uint32_t condition)
{
	/* Operands come before what is computed from them.  There is no expression 0. */
	for (size_t id = bulk->of.count; id <= condition; id++) {
		struct bulk_use next = id ? use_of(bulk, x, (uint32_t)id) : (struct bulk_use){0};

		vec_push(&bulk->of, next);
	}
	struct bulk_use use = bulk->of.at[condition];

	if (use.reads || use.compared == BULK_MANY)
		return false;
	return use.count ? use.count >= BULK_LEAST : use.length && !compares_with_zero(x, condition);
}

void bulk_free(struct bulk *bulk)
{
	vec_free(&bulk->of);
}
