/* SPDX-License-Identifier: GPL-2.0-or-later */
/* trail.c - see trail.h; slices are made in slice.c. */
#include "solve/trail.h"

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
	struct map known;  /* parts that were there before */
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

/* Return how many parts are new. */
static size_t parts_add(struct making *m, const struct condition *condition)
{
	struct trail *trail = m->trail;
	size_t before = trail->parts.count;

	split_condition(&m->split, trail->x, condition, &m->values);
	for (size_t i = 0; i < m->split.parts.count; i++) {
		struct trail_part part = {.as = m->split.parts.at[i]};
		const struct variable_set *set = variables_of(trail->variables, part.as.expression);
		uint64_t *known = map_put(&m->known, part.as.expression, part.as.value);

		if (*known || !set->count)
			continue;
		*known = 1;
		part.group = group_of(m, set);
		vec_push(&trail->parts, part);
	}
	return trail->parts.count - before;
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
	condition.useless = !holds || parts_add(m, &as) == 0;
	vec_push(&trail->conditions, condition);
}

static void limits_add(struct trail *trail, const struct trail_limits *limits, size_t count)
{
	for (uint32_t source = 1; source <= expressions_source_count(trail->x); source++) {
		struct trail_limits as_it_is = {.length_max = assignment_length(trail->input, source)};

		vec_push(&trail->limits, source <= count ? limits[source - 1] : as_it_is);
	}
}

struct trail *trail_new(struct expressions *x, const struct condition *conditions, size_t count,
			const struct assignment *input, const struct trail_limits *limits, size_t limit_count)
{
	struct trail *trail = mem_alloc(sizeof(*trail));
	struct making making = {.trail = trail};

	trail->x = x;
	trail->input = input;
	trail->variables = variables_new(x);
	trail->evaluation = evaluation_new(x);
	trail->meanings.x = x;
	trail->serial = next_serial();
	limits_add(trail, limits, limit_count);
	for (size_t i = 0; i < count; i++)
		condition_add(&making, conditions[i]);
	map_free(&making.groups);
	map_free(&making.known);
	split_free(&making.split);
	known_free(&making.values);
	return trail;
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
	free(trail);
}

void trail_exclude(struct trail *trail, size_t index, const struct assignment *answer)
{
	uint32_t compared = compared_with_constant(trail->x, trail->conditions.at[index].as.expression);

	if (!compared)
		return;
	evaluation_forget(trail->evaluation);
	uint64_t value = evaluation_value(trail->evaluation, compared, answer);
	struct expression constant = {.kind = BO_EXPR_CONST,
				      .width = expressions_at(trail->x, compared)->width,
				      .own = value};
	struct expression same = {.kind = BO_EXPR_EQ,
				  .width = 1,
				  .operand = {compared, expressions_add(trail->x, &constant)}};

	vec_push(&trail->exclusions, ((struct trail_exclusion){index, expressions_add(trail->x, &same)}));
}
