/* SPDX-License-Identifier: GPL-2.0-or-later */
/* slice.c - the part of a path that decides about one condition; see trail.h. */
#include <string.h>

#include "base/map.h"
#include "base/mem.h"
#include "solve/digits.h"
#include "solve/normal.h"
#include "solve/trail.h"

/* How a group takes part. */
enum part { PART_NONE, PART_INDIRECT, PART_DIRECT };

void slice_free(struct slice *slice)
{
	vec_free(&slice->conditions);
	vec_free(&slice->variables);
	free(slice->set);
	slice->set = NULL;
}

static struct variable_set *set_alloc(size_t ranges)
{
	return mem_alloc(sizeof(struct variable_set) + ranges * sizeof(struct variable_range));
}

/* Append a range that does not begin before the last one. */
static void range_add(struct variable_set *set, const struct variable_range *range)
{
	struct variable_range *last = set->count ? &set->at[set->count - 1] : NULL;

	if (!last || (range->first > last->last && range->first - last->last > 1))
		set->at[set->count++] = *range;
	else if (last->last < range->last)
		last->last = range->last;
}

static void set_unite(struct slice *slice, const struct variable_set *other)
{
	const struct variable_set *own = slice->set;
	struct variable_set *both = set_alloc(own->count + other->count);

	for (size_t i = 0, j = 0; i < own->count || j < other->count;) {
		bool from_own = j == other->count || (i < own->count && own->at[i].first <= other->at[j].first);

		range_add(both, from_own ? &own->at[i++] : &other->at[j++]);
	}
	free(slice->set);
	slice->set = both;
}

/* Find the groups that share variables with the condition, directly or through others, among the conditions before. */
static void groups_join(const struct trail *trail, size_t index, struct slice *slice, uint8_t *parts)
{
	const struct variable_set *own = trail->conditions.at[index].set;
	bool more = true;

	slice->set = set_alloc(0);
	set_unite(slice, own);
	for (size_t i = 0; i < trail->exclusions.count; i++) {
		if (trail->exclusions.at[i].index == index)
			set_unite(slice, variables_of(trail->variables, trail->exclusions.at[i].expression));
	}
	while (more) {
		more = false;
		for (size_t i = 0; i < trail->groups.count && trail->groups.at[i].first < index; i++) {
			const struct trail_group *group = &trail->groups.at[i];

			if (parts[i] || !variable_sets_meet(slice->set, group->set))
				continue;
			parts[i] = variable_sets_meet(own, group->set) ? PART_DIRECT : PART_INDIRECT;
			set_unite(slice, group->set);
			more = true;
		}
	}
}

/* Which parts are taken. */
struct choice {
	uint8_t *chosen; /* by part */
	size_t count;
	struct map of_site; /* how many of a site */
};

/* Take those of such groups, the latest first, as long as the limits allow. */
static void parts_choose(const struct trail *trail, size_t index, const uint8_t *groups, enum part part,
			 struct choice *choice, struct slice *slice)
{
	for (size_t i = trail->conditions.at[index].parts_before; i-- > 0;) {
		if (groups[trail->parts.at[i].group] != part)
			continue;
		uint64_t *same_site = map_put(&choice->of_site, trail->parts.at[i].as.site, 0);
		if (*same_site == TRAIL_SITE_MOST || choice->count == TRAIL_SLICE_MOST) {
			slice->left_out++;
			continue;
		}
		(*same_site)++;
		choice->count++;
		choice->chosen[i] = true;
	}
}

static void condition_add(struct slice *slice, uint32_t expression, bool value)
{
	vec_push(&slice->conditions, ((struct slice_condition){.expression = expression, .value = value}));
}

static void parts_add(const struct trail *trail, size_t index, const uint8_t *groups, struct slice *slice)
{
	struct choice choice = {.chosen = mem_alloc(trail->parts.count + 1)};

	parts_choose(trail, index, groups, PART_DIRECT, &choice, slice);
	parts_choose(trail, index, groups, PART_INDIRECT, &choice, slice);
	for (size_t i = 0; i < trail->conditions.at[index].parts_before; i++) {
		const struct trail_part *part = &trail->parts.at[i];

		if (choice.chosen[i])
			vec_push(&slice->conditions,
				 ((struct slice_condition){part->as.expression, part->as.value, part->wished}));
	}
	map_free(&choice.of_site);
	free(choice.chosen);
}

static uint32_t constant(const struct trail *trail, uint64_t value, uint8_t width)
{
	return expressions_add(trail->x, &(struct expression){.kind = BO_EXPR_CONST, .width = width, .own = value});
}

static uint32_t compare(const struct trail *trail, enum bo_expression kind, uint32_t a, uint32_t b)
{
	return expressions_add(trail->x, &(struct expression){.kind = kind, .width = 1, .operand = {a, b}});
}

/* How long a source must be to have its bytes of the set. */
static uint64_t bytes_in_set(const struct variable_set *set, uint32_t source)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < set->count; i++) {
		uint64_t last = set->at[i].last, offset = last & bo_width_mask(BO_EXPR_SOURCE_SHIFT);

		if (last >> BO_EXPR_SOURCE_SHIFT == source && last != variable_of_length(source) && offset >= bytes)
			bytes = offset + 1;
	}
	return bytes;
}

/* The bytes of a source that the path has looked at before the condition and at it. */
static uint64_t bytes_looked_at(const struct trail *trail, size_t index, uint32_t source)
{
	uint64_t bytes = bytes_in_set(trail->conditions.at[index].set, source);

	for (size_t i = 0; i < trail->groups.count && trail->groups.at[i].first < index; i++) {
		uint64_t more = bytes_in_set(trail->groups.at[i].set, source);

		bytes = more > bytes ? more : bytes;
	}
	return bytes;
}

/* A byte that the path has looked at must stay, and the source must not grow beyond its limit. */
static void length_limit(const struct trail *trail, size_t index, uint32_t source, uint32_t variable,
			 struct slice *slice)
{
	uint64_t bytes = bytes_looked_at(trail, index, source);

	if (bytes)
		condition_add(slice, compare(trail, BO_EXPR_ULT, variable, constant(trail, bytes, 64)), false);
	condition_add(slice,
		      compare(trail, BO_EXPR_ULT, constant(trail, trail->limits.at[source - 1].length_max, 64),
			      variable),
		      false);
}

static bool is_forbidden(const struct trail_limits *limits, unsigned byte)
{
	return limits->forbidden[byte / 64] >> byte % 64 & 1;
}

/* Is the byte from `first` to `last`?  One comparison: the distance to the first, as a number without a sign. */
static uint32_t in_range(const struct trail *trail, uint32_t variable, unsigned first, unsigned last)
{
	struct expression distance = {.kind = BO_EXPR_SUB,
				      .width = 8,
				      .operand = {variable, constant(trail, first, 8)}};

	if (first == last)
		return compare(trail, BO_EXPR_EQ, variable, constant(trail, first, 8));
	return compare(trail, BO_EXPR_ULE, expressions_add(trail->x, &distance), constant(trail, last - first, 8));
}

static void byte_limit(const struct trail *trail, const struct expression *input, uint32_t variable,
		       struct slice *slice)
{
	const struct trail_limits *limits = &trail->limits.at[expression_input_source(input) - 1];
	uint8_t old = assignment_byte(trail->input, expression_input_source(input), expression_input_offset(input));

	if (is_forbidden(limits, old)) {
		condition_add(slice, compare(trail, BO_EXPR_EQ, variable, constant(trail, old, 8)), true);
		return;
	}
	for (unsigned first = 0, last; first < 256; first = last + 1) {
		for (last = first; last < 255 && is_forbidden(limits, last) == is_forbidden(limits, last + 1); last++)
			;
		if (is_forbidden(limits, first))
			condition_add(slice, in_range(trail, variable, first, last), false);
	}
}

static uint32_t variable_expression(const struct trail *trail, uint64_t variable)
{
	uint32_t source = (uint32_t)(variable >> BO_EXPR_SOURCE_SHIFT);
	struct expression input = {.kind = BO_EXPR_INPUT, .width = 8, .own = variable};
	struct expression length = {.kind = BO_EXPR_LENGTH, .width = 64, .own = source};

	return expressions_add(trail->x, variable == variable_of_length(source) ? &length : &input);
}

static void variables_add(const struct trail *trail, size_t index, struct slice *slice)
{
	for (size_t i = 0; i < slice->set->count; i++) {
		struct variable_range range = slice->set->at[i];

		for (uint64_t variable = range.first; variable <= range.last; variable++) {
			uint32_t id = variable_expression(trail, variable);
			struct expression e = *expressions_at(trail->x, id);

			vec_push(&slice->variables, id);
			if (e.kind == BO_EXPR_LENGTH)
				length_limit(trail, index, (uint32_t)e.own, id, slice);
			else
				byte_limit(trail, &e, id, slice);
		}
	}
}

bool slice_has_wishes(const struct slice *slice)
{
	for (size_t i = 0; i < slice->conditions.count; i++) {
		if (slice->conditions.at[i].wished)
			return true;
	}
	return false;
}

void slice_settle(struct slice *slice, struct evaluation *evaluation, const struct assignment *input)
{
	size_t kept = 0;

	evaluation_forget(evaluation);
	for (size_t i = 0; i < slice->conditions.count; i++) {
		struct slice_condition condition = slice->conditions.at[i];

		if (condition.wished && evaluation_value(evaluation, condition.expression, input) != condition.value)
			continue;
		condition.wished = false;
		slice->conditions.at[kept++] = condition;
	}
	slice->conditions.count = kept;
}

/* If the turned condition wants a constant. */
static void equality_demand(const struct trail *trail, uint32_t condition, bool wanted, struct slice *slice)
{
	uint32_t compared = wanted ? compared_with_constant(trail->x, condition) : 0;

	if (compared) {
		const struct expression *e = expressions_at(trail->x, condition);
		uint32_t other = e->operand[e->operand[0] == compared];

		digits_demand(trail->x, slice, compared, expressions_at(trail->x, other)->own);
	}
}

bool trail_slice(struct trail *trail, size_t index, struct slice *slice)
{
	const struct trail_condition *turned = &trail->conditions.at[index];

	slice->conditions.count = slice->variables.count = 0;
	free(slice->set);
	slice->set = NULL;
	slice->left_out = 0;
	if (turned->useless)
		return false;
	uint8_t *groups = mem_alloc(trail->groups.count + 1);
	groups_join(trail, index, slice, groups);
	parts_add(trail, index, groups, slice);
	free(groups);
	variables_add(trail, index, slice);
	for (size_t i = 0; i < trail->exclusions.count; i++) {
		if (trail->exclusions.at[i].index == index)
			condition_add(slice, trail->exclusions.at[i].expression, false);
	}
	equality_demand(trail, turned->as.expression, !turned->as.value, slice);
	condition_add(slice, turned->as.expression, !turned->as.value);
	return true;
}
