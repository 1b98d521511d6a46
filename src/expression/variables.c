/* SPDX-License-Identifier: GPL-2.0-or-later */
/* variables.c - see variables.h. */
#include "expression/variables.h"

#include <string.h>
#include <xxhash.h>

#include "base/map.h"
#include "base/mem.h"
#include "base/vec.h"

/* Sets have numbers from 1; set 1 is empty. */
#define SET_EMPTY 1

struct variables {
	const struct expressions *x;
	VEC_OF(struct variable_set *) sets;   /* by number - 1 */
	struct map by_content;                /* hash of the ranges -> number */
	struct map joined;                    /* numbers of two sets -> that of their union */
	VEC_OF(uint32_t) of;                  /* by id of the expression; 0: not known yet */
	VEC_OF(uint32_t) waiting;             /* expressions whose operands come first */
	VEC_OF(struct variable_range) ranges; /* of the union that is being made */
};

static uint32_t set_intern(struct variables *variables, const struct variable_range *ranges, size_t count)
{
	XXH128_hash_t hash = XXH3_128bits(ranges, count * sizeof(*ranges));
	uint64_t *number = map_put(&variables->by_content, hash.low64, hash.high64);

	if (!*number) {
		struct variable_set *set = mem_alloc(sizeof(*set) + count * sizeof(*ranges));

		set->count = count;
		if (count)
			memcpy(set->at, ranges, count * sizeof(*ranges));
		vec_push(&variables->sets, set);
		*number = variables->sets.count;
	}
	return (uint32_t)*number;
}

struct variables *variables_new(const struct expressions *x)
{
	struct variables *variables = mem_alloc(sizeof(*variables));

	variables->x = x;
	set_intern(variables, NULL, 0); /* SET_EMPTY */
	return variables;
}

void variables_free(struct variables *variables)
{
	if (!variables)
		return;
	for (size_t i = 0; i < variables->sets.count; i++)
		free(variables->sets.at[i]);
	vec_free(&variables->sets);
	map_free(&variables->by_content);
	map_free(&variables->joined);
	vec_free(&variables->of);
	vec_free(&variables->waiting);
	vec_free(&variables->ranges);
	free(variables);
}

/* Append a range to the union that is being made; it does not begin before the last one. */
static void union_add(struct variables *variables, const struct variable_range *range)
{
	size_t count = variables->ranges.count;
	uint64_t *last = count ? &variables->ranges.at[count - 1].last : NULL;

	if (!last || (range->first > *last && range->first - *last > 1))
		vec_push(&variables->ranges, *range);
	else if (*last < range->last)
		*last = range->last;
}

static uint32_t set_union(struct variables *variables, uint32_t a_number, uint32_t b_number)
{
	const struct variable_set *a = variables->sets.at[a_number - 1], *b = variables->sets.at[b_number - 1];
	size_t i = 0, j = 0;

	variables->ranges.count = 0;
	while (i < a->count || j < b->count) {
		bool from_a = j == b->count || (i < a->count && a->at[i].first <= b->at[j].first);

		union_add(variables, from_a ? &a->at[i++] : &b->at[j++]);
	}
	return set_intern(variables, variables->ranges.at, variables->ranges.count);
}

static uint32_t set_join(struct variables *variables, uint32_t a, uint32_t b)
{
	uint64_t *number;

	if (a == b || b == SET_EMPTY)
		return a;
	if (a == SET_EMPTY)
		return b;
	number = map_put(&variables->joined, a < b ? a : b, a < b ? b : a);
	if (!*number)
		*number = set_union(variables, a, b);
	return (uint32_t)*number;
}

/* The set of an expression whose operands have sets. */
static uint32_t set_make(struct variables *variables, const struct expression *e)
{
	struct variable_range one = {e->own, e->own};
	uint32_t set = SET_EMPTY;

	if (e->kind == BO_EXPR_LENGTH)
		one.first = one.last = variable_of_length((uint32_t)e->own);
	if (e->kind == BO_EXPR_INPUT || e->kind == BO_EXPR_LENGTH)
		return set_intern(variables, &one, 1);
	for (unsigned i = 0; i < bo_expression_operands(e->kind); i++)
		set = set_join(variables, set, variables->of.at[e->operand[i]]);
	return set;
}

static bool operands_wait(struct variables *variables, const struct expression *e)
{
	size_t before = variables->waiting.count;

	for (unsigned i = 0; i < bo_expression_operands(e->kind); i++) {
		if (!variables->of.at[e->operand[i]])
			vec_push(&variables->waiting, e->operand[i]);
	}
	return variables->waiting.count > before;
}

const struct variable_set *variables_of(struct variables *variables, uint32_t id)
{
	while (variables->of.count <= expressions_count(variables->x))
		vec_push(&variables->of, 0);
	vec_push(&variables->waiting, id);
	while (variables->waiting.count) {
		uint32_t next = variables->waiting.at[variables->waiting.count - 1];
		const struct expression *e = expressions_at(variables->x, next);

		if (!variables->of.at[next]) {
			if (operands_wait(variables, e))
				continue;
			variables->of.at[next] = set_make(variables, e);
		}
		variables->waiting.count--;
	}
	return variables->sets.at[variables->of.at[id] - 1];
}

bool variable_sets_meet(const struct variable_set *a, const struct variable_set *b)
{
	for (size_t i = 0, j = 0; i < a->count && j < b->count;) {
		if (a->at[i].last < b->at[j].first)
			i++;
		else if (b->at[j].last < a->at[i].first)
			j++;
		else
			return true;
	}
	return false;
}

bool variable_set_has(const struct variable_set *set, uint64_t variable)
{
	for (size_t i = 0; i < set->count; i++) {
		if (set->at[i].first <= variable && variable <= set->at[i].last)
			return true;
	}
	return false;
}
