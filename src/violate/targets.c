/* SPDX-License-Identifier: GPL-2.0-or-later */
/* targets.c - see targets.h. */
#include "violate/targets.h"

#include <stdlib.h>
#include <xxhash.h>

enum { SEARCHED_FIRST = 16 /* moments of one code */ };

void targets_free(struct targets *t)
{
	vec_free(&t->all);
	vec_free(&t->groups);
	vec_free(&t->codes);
	map_free(&t->group_index);
	map_free(&t->code_index);
}

bool targets_wants(struct targets *t, const uint64_t code[2])
{
	uint64_t *index = map_put(&t->code_index, code[0], code[1]);
	struct target_code *known;
	bool wanted;

	if (!*index) {
		vec_push(&t->codes, ((struct target_code){0}));
		*index = t->codes.count;
	}
	known = &t->codes.at[*index - 1];
	known->moments++;
	wanted = !t->each || known->moments <= SEARCHED_FIRST || !(known->moments & (known->moments - 1));
	known->searched += wanted;
	return wanted;
}

static struct target_group *group_find(struct targets *t, const uint64_t code[2], const struct violation *v)
{
	const uint64_t name[] = {code[0], code[1], v->rule, v->first.place.site, v->second.place.site};
	XXH128_hash_t hash = XXH3_128bits(name, sizeof(name));
	uint64_t *index = map_put(&t->group_index, hash.low64, hash.high64);

	if (!*index) {
		uint32_t number = (uint32_t)(*map_get(&t->code_index, code[0], code[1]) - 1);

		vec_push(&t->groups, ((struct target_group){.code = number}));
		*index = t->groups.count;
	}
	return &t->groups.at[*index - 1];
}

bool targets_add(struct targets *t, const uint64_t code[2], uint64_t moment, const struct violation *violation)
{
	struct target_group *group = group_find(t, code, violation);
	bool wanted = !t->each || group->instances < t->each;

	t->full |= wanted && t->all.count == TARGETS_MAX;
	wanted &= !t->full;
	group->instances++;
	if (group->seen < violation->seen)
		group->seen = violation->seen;
	t->left_out += !wanted;
	if (wanted)
		vec_push(&t->all, ((struct target){.moment = moment,
						   .number = t->all.count,
						   .group = (uint32_t)(group - t->groups.at),
						   .violation = *violation}));
	return wanted;
}

struct ranking {
	size_t group;
	uint64_t seen;
	double violable; /* instances in all moments of the code, as far as is known */
};

static int ranking_order(const void *left, const void *right)
{
	const struct ranking *a = left, *b = right;

	if (a->seen != b->seen)
		return a->seen > b->seen ? -1 : 1;
	if (a->violable < b->violable || a->violable > b->violable)
		return a->violable > b->violable ? -1 : 1;
	return a->group < b->group ? -1 : a->group > b->group;
}

static int target_order(const void *left, const void *right)
{
	const struct target *a = left, *b = right;

	if (a->moment != b->moment)
		return a->moment < b->moment ? -1 : 1;
	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	return a->number < b->number ? -1 : a->number > b->number;
}

void targets_rank(struct targets *t)
{
	struct ranking *ranking = mem_alloc((t->groups.count + 1) * sizeof(*ranking));

	for (size_t i = 0; i < t->groups.count; i++) {
		const struct target_group *group = &t->groups.at[i];
		const struct target_code *code = &t->codes.at[group->code];

		ranking[i] =
			(struct ranking){i, group->seen,
					 (double)group->instances * (double)code->moments / (double)code->searched};
	}
	if (t->groups.count)
		qsort(ranking, t->groups.count, sizeof(*ranking), ranking_order);
	for (size_t i = 0; i < t->groups.count; i++)
		t->groups.at[ranking[i].group].rank = i;
	free(ranking);
	for (size_t i = 0; i < t->all.count; i++)
		t->all.at[i].rank = t->groups.at[t->all.at[i].group].rank;
	if (t->all.count)
		qsort(t->all.at, t->all.count, sizeof(*t->all.at), target_order);
}
