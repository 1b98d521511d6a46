/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bo_expr.c - see bo_expr.h.
 *
 * All arrays have their final size in address space from the start, so nothing moves, and memory is used only as they
 * fill.  Nothing is collected: what a branch was decided by may be asked for at any later time. */
#include "bo_expr.h"

#include "bo_index.h"

static struct bo_expr *exprs; /* number 0 is none: its width is 0 */
static UInt expr_count = 1, expr_most;
static struct bo_index expr_index; /* of `indexed` */
static UInt *indexed, indexed_count = 1;
static ULong refused;

#define MADE_MOST 12 /* of one operand, without the index */

const struct bo_expr *bo_expr_at(UInt expr)
{
	return &exprs[expr];
}

struct bo_expr *bo_expr_to_tell(UInt expr)
{
	return &exprs[expr];
}

UInt bo_expr_end(void)
{
	return expr_count;
}

ULong bo_expr_refused(void)
{
	return refused;
}

UInt bo_expr_width(UInt expr)
{
	return exprs[expr].width;
}

ULong bo_expr_value(UInt expr)
{
	return exprs[expr].value;
}

Bool bo_expr_is_const(UInt expr)
{
	return expr && exprs[expr].kind == BO_EXPR_CONST;
}

/* ---- equal expressions are the same ----
 * Code looks at a value, then at what it has computed from it.  So an expression is first looked for among those that were
 * made from the newest of its operands, which are near it in memory.  Leaves, and what is made from an operand that has
 * many of them already, as the length of input has, are found by an index. */

/* Numbers that are near each other have places that are near each other: input is read byte by byte. */
#define NEAR 64u

static UInt hash_of(const struct bo_expr *e)
{
	ULong what = (ULong)e->kind << 8 | e->width, sum = e->own + e->operand[0] + e->operand[1] + e->operand[2];
	ULong near = bo_mix(what | (ULong)(e->operand[0] / NEAR) << 32, e->own / NEAR);
	ULong group = bo_mix(near, (ULong)(e->operand[1] / NEAR) << 32 | e->operand[2] / NEAR);

	return (UInt)(group * NEAR + sum % NEAR) ^ (UInt)sum << 26;
}

static UInt hash_of_indexed(UInt number)
{
	return hash_of(&exprs[indexed[number]]);
}

static Bool is_same(const struct bo_expr *a, const struct bo_expr *b)
{
	return a->kind == b->kind && a->width == b->width && a->own == b->own && a->operand[0] == b->operand[0] &&
	       a->operand[1] == b->operand[1] && a->operand[2] == b->operand[2];
}

static UInt add(const struct bo_expr *e)
{
	if (expr_count == expr_most) {
		refused++;
		return 0;
	}
	exprs[expr_count] = *e;
	return expr_count++;
}

static UInt intern_by_index(const struct bo_expr *e)
{
	UInt hash = hash_of(e), slot, found, number;

	bo_index_fit(&expr_index, indexed_count);
	slot = bo_index_first(&expr_index, hash);
	for (; (found = bo_index_find(&expr_index, hash, &slot)); slot++)
		if (is_same(&exprs[indexed[found]], e))
			return indexed[found];
	number = add(e);
	if (number) {
		indexed[indexed_count] = number;
		bo_index_put(&expr_index, hash, slot, indexed_count++);
	}
	return number;
}

/* Constants have no part in this: they are operands of everything. */
static UInt newest_operand(const struct bo_expr *e)
{
	UInt newest = 0;

	for (UInt i = 0; i < BO_EXPR_OPERANDS_MAX; i++)
		if (e->operand[i] > newest && exprs[e->operand[i]].kind != BO_EXPR_CONST)
			newest = e->operand[i];
	return newest;
}

static UInt intern(const struct bo_expr *e)
{
	UInt from = newest_operand(e), made = exprs[from].made, number;

	if (!from)
		return intern_by_index(e);
	for (UInt looked = 0; made; made = exprs[made].made_before) {
		if (is_same(&exprs[made], e))
			return made;
		if (++looked == MADE_MOST)
			return intern_by_index(e);
	}
	number = add(e);
	if (number) {
		exprs[number].made_before = exprs[from].made;
		exprs[from].made = number;
	}
	return number;
}

/* ---- leaves ---- */

UInt bo_expr_const(UInt width, ULong value)
{
	if (!width) /* of an expression that there was no room for */
		return 0;
	value &= bo_width_mask(width);
	return intern(&(struct bo_expr){.kind = BO_EXPR_CONST, .width = (UChar)width, .own = value, .value = value});
}

static UInt leaf(enum bo_expression kind, UInt width, ULong own, ULong value)
{
	UInt expr = intern(&(struct bo_expr){.kind = (UChar)kind, .width = (UChar)width, .own = own, .value = value});

	return exprs[expr].value == value ? expr : 0;
}

UInt bo_expr_input(UInt source, ULong offset, UChar value)
{
	return leaf(BO_EXPR_INPUT, 8, (ULong)source << BO_EXPR_SOURCE_SHIFT | offset, value);
}

UInt bo_expr_length(UInt source, ULong value)
{
	return leaf(BO_EXPR_LENGTH, 64, source, value);
}

/* ---- others ---- */

static Bool is_complete(const struct bo_expr *e)
{
	for (UInt i = 0; i < bo_expression_operands(e->kind); i++)
		if (!e->operand[i])
			return False;
	return True;
}

static Bool is_of_constants(const struct bo_expr *e)
{
	for (UInt i = 0; i < bo_expression_operands(e->kind); i++)
		if (!bo_expr_is_const(e->operand[i]))
			return False;
	return True;
}

static ULong value_of(const struct bo_expr *e)
{
	uint64_t values[BO_EXPR_OPERANDS_MAX];
	uint8_t widths[BO_EXPR_OPERANDS_MAX];

	for (UInt i = 0; i < BO_EXPR_OPERANDS_MAX; i++) {
		values[i] = exprs[e->operand[i]].value;
		widths[i] = exprs[e->operand[i]].width;
	}
	tl_assert(bo_expression_fits(e->kind, e->width, widths));
	tl_assert(e->kind != BO_EXPR_EXTRACT || e->own + e->width <= widths[0]);
	return bo_expression_compute(e->kind, e->width, e->own, values, widths);
}

/* Rules lead to each other, and what they look at may be as deep as the run was long. */
#define DEPTH_MOST 64

UInt bo_expr_make(enum bo_expression kind, UInt width, ULong own, UInt a, UInt b, UInt c)
{
	struct bo_expr e = {.kind = (UChar)kind, .width = (UChar)width, .operand = {a, b, c}, .own = own};
	static UInt depth;
	UInt simple = 0;

	if (!is_complete(&e))
		return 0;
	e.value = value_of(&e);
	if (is_of_constants(&e))
		return bo_expr_const(width, e.value);
	if (depth < DEPTH_MOST) {
		depth++;
		simple = bo_expr_simplify(&e);
		depth--;
	}
	if (!simple)
		return intern(&e);
	tl_assert(exprs[simple].width == width && exprs[simple].value == e.value);
	return simple;
}

UInt bo_expr_table(UInt table, UInt index, UInt size, ULong value)
{
	if (!index)
		return 0;
	return intern(&(struct bo_expr){
		.kind = BO_EXPR_TABLE, .width = (UChar)(8 * size), .operand = {index}, .own = table, .value = value});
}

void bo_expr_init(UInt most)
{
	expr_most = most;
	exprs = bo_reserve_array((SizeT)most * sizeof(*exprs));
	indexed = bo_reserve_array((SizeT)most * sizeof(*indexed));
	expr_index = bo_index_new(most, hash_of_indexed);
}
