/* SPDX-License-Identifier: GPL-2.0-or-later */
/* trail.c - see trail.h; slices are made in slice.c. */
#include "solve/trail.h"

#include <string.h>

#include "base/map.h"
#include "base/mem.h"
#include "solve/normal.h"
#include "solve/split.h"

static uint64_t next_serial(void)
{
	static uint64_t last;

	return __atomic_add_fetch(&last, 1, __ATOMIC_RELAXED);
}

/* What is needed only while conditions are added. */
struct making {
	struct trail *trail;
	struct map groups; /* set -> number of its group; sets are unique, so a pointer stands for its content */
	struct map known;  /* parts that were there before, as enum strength */
	struct split split;
	struct known values; /* that follow from the conditions so far */
};

static uint32_t group_of(struct making *m, const struct variable_set *set)
{
	uint64_t *number = map_put(&m->groups, (uintptr_t)set, 0);

	if (!*number) {
		vec_push(&m->trail->groups, ((struct trail_group){.set = set, .first = m->trail->conditions.count}));
		*number = m->trail->groups.count;
	}
	return (uint32_t)*number - 1;
}

enum strength { STRENGTH_NONE, STRENGTH_WISHED, STRENGTH_DEMANDED };

/* Nothing follows from a wish. */
static void condition_split(struct making *m, const struct condition *condition, bool wished)
{
	struct known nothing = {0};

	split_condition(&m->split, m->trail->x, condition, wished ? &nothing : &m->values);
	known_free(&nothing);
}

/* Return false if it follows from what is demanded before. */
static bool parts_add(struct making *m, const struct condition *condition)
{
	struct trail *trail = m->trail;
	bool wished = condition_is_wished(condition->kind, trail->relaxation);
	enum strength strength = wished ? STRENGTH_WISHED : STRENGTH_DEMANDED;
	bool decides = false;

	condition_split(m, condition, wished);
	for (size_t i = 0; i < m->split.parts.count; i++) {
		struct trail_part part = {.as = m->split.parts.at[i], .wished = wished};
		const struct variable_set *set = variables_of(trail->variables, part.as.expression);
		uint64_t *known = map_put(&m->known, part.as.expression, part.as.value);

		decides |= set->count && *known < STRENGTH_DEMANDED;
		if (*known >= strength || !set->count)
			continue;
		*known = strength;
		part.group = group_of(m, set);
		vec_push(&trail->parts, part);
	}
	return decides;
}

static void condition_add(struct making *m, struct condition as)
{
	struct trail *trail = m->trail;
	struct trail_condition condition = {.parts_before = trail->parts.count};

	as.expression = known_apply(&m->values, trail->x, as.expression);
	condition_normalize(trail->x, &as);
	condition.as = as;
	condition.set = variables_of(trail->variables, as.expression);
	bool holds = evaluation_value(trail->evaluation, as.expression, trail->input) == as.value;

	trail->broken += !holds;
	condition.useless = !holds || !parts_add(m, &as);
	vec_push(&trail->conditions, condition);
}

static void limits_add(struct trail *trail, const struct trail_limits *limits, size_t count)
{
	for (uint32_t source = 1; source <= expressions_source_count(trail->x); source++) {
		struct trail_limits as_it_is = {.length_max = assignment_length(trail->input, source)};

		vec_push(&trail->limits, source <= count ? limits[source - 1] : as_it_is);
	}
}

static struct trail *trail_alloc(struct expressions *x, const struct assignment *input, uint64_t serial)
{
	struct trail *trail = mem_alloc(sizeof(*trail));

	trail->x = x;
	trail->input = input;
	trail->variables = variables_new(x);
	trail->evaluation = evaluation_new(x);
	trail->meanings.x = x;
	trail->serial = serial;
	return trail;
}

static void conditions_add(struct trail *trail, const struct condition *conditions, size_t count)
{
	struct making making = {.trail = trail};

	for (size_t i = 0; i < count; i++)
		condition_add(&making, conditions[i]);
	map_free(&making.groups);
	map_free(&making.known);
	split_free(&making.split);
	known_free(&making.values);
}

struct trail *trail_new(struct expressions *x, const struct condition *conditions, size_t count,
			const struct assignment *input, const struct trail_limits *limits, size_t limit_count)
{
	struct trail *trail = trail_alloc(x, input, next_serial());

	limits_add(trail, limits, limit_count);
	vec_append(&trail->given, conditions, count);
	conditions_add(trail, conditions, count);
	return trail;
}

struct trail *trail_relaxed(struct trail *trail, enum relaxation relaxation)
{
	struct trail *relaxed = relaxation == RELAX_NOTHING ? trail : trail->relaxed[relaxation];

	if (relaxed)
		return relaxed;
	relaxed = trail_alloc(trail->x, trail->input, trail->serial);
	relaxed->relaxation = relaxation;
	vec_append(&relaxed->limits, trail->limits.at, trail->limits.count);
	conditions_add(relaxed, trail->given.at, trail->given.count);
	return trail->relaxed[relaxation] = relaxed;
}

void trail_free(struct trail *trail)
{
	if (!trail)
		return;
	variables_free(trail->variables);
	evaluation_free(trail->evaluation);
	meanings_free(&trail->meanings);
	vec_free(&trail->conditions);
	vec_free(&trail->parts);
	vec_free(&trail->groups);
	vec_free(&trail->limits);
	vec_free(&trail->exclusions);
	vec_free(&trail->given);
	for (size_t i = 0; i < RELAXATIONS; i++)
		trail_free(trail->relaxed[i]);
	free(trail);
}

void trail_exclude_value(struct trail *trail, size_t index, uint64_t value)
{
	uint32_t compared = compared_with_constant(trail->x, trail->conditions.at[index].as.expression);

	if (!compared)
		return;
	struct expression constant = {.kind = BO_EXPR_CONST,
				      .width = expressions_at(trail->x, compared)->width,
				      .own = value};
	struct expression same = {.kind = BO_EXPR_EQ,
				  .width = 1,
				  .operand = {compared, expressions_add(trail->x, &constant)}};

	uint32_t excluded = expressions_add(trail->x, &same);

	for (size_t i = 0; i < trail->exclusions.count; i++)
		if (trail->exclusions.at[i].index == index && trail->exclusions.at[i].expression == excluded)
			return;
	vec_push(&trail->exclusions, ((struct trail_exclusion){index, excluded}));
}

void trail_exclude(struct trail *trail, size_t index, const struct assignment *answer)
{
	uint32_t compared = compared_with_constant(trail->x, trail->conditions.at[index].as.expression);

	if (!compared)
		return;
	evaluation_forget(trail->evaluation);
	trail_exclude_value(trail, index, evaluation_value(trail->evaluation, compared, answer));
}

void trail_include(struct trail *trail, size_t from, size_t count)
{
	trail->exclusions.count -= count;
	memmove(&trail->exclusions.at[from], &trail->exclusions.at[from + count],
		(trail->exclusions.count - from) * sizeof(*trail->exclusions.at));
}
