/* SPDX-License-Identifier: GPL-2.0-or-later */
/* trail.c - see trail.h; slices are made in slice.c. */
#include "solve/trail.h"

#include "base/map.h"
#include "base/mem.h"
#include "solve/normal.h"

static uint64_t next_serial(void)
{
	static uint64_t last;

	return __atomic_add_fetch(&last, 1, __ATOMIC_RELAXED);
}

/* The group of conditions with these variables; sets are unique, so a pointer stands for its content. */
static uint32_t group_of(struct trail *trail, struct map *groups, const struct variable_set *set, size_t index)
{
	uint64_t *number = map_put(groups, (uintptr_t)set, 0);

	if (!*number) {
		vec_push(&trail->groups, ((struct trail_group){.set = set, .first = index}));
		*number = trail->groups.count;
	}
	return (uint32_t)*number - 1;
}

static void condition_add(struct trail *trail, struct map *groups, struct map *known, struct condition as)
{
	struct trail_condition condition;

	condition_normalize(trail->x, &as);
	condition = (struct trail_condition){.as = as};
	uint64_t *before = map_put(known, as.expression, as.value);
	const struct variable_set *set = variables_of(trail->variables, as.expression);
	bool holds = evaluation_value(trail->evaluation, as.expression, trail->input) == as.value;

	condition.useless = *before || !set->count || !holds;
	*before = holds;
	trail->broken += !holds;
	condition.group = group_of(trail, groups, set, trail->conditions.count);
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
	struct map groups = {0}, known = {0};

	trail->x = x;
	trail->input = input;
	trail->variables = variables_new(x);
	trail->evaluation = evaluation_new(x);
	trail->meanings.x = x;
	trail->serial = next_serial();
	limits_add(trail, limits, limit_count);
	for (size_t i = 0; i < count; i++)
		condition_add(trail, &groups, &known, conditions[i]);
	map_free(&groups);
	map_free(&known);
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
