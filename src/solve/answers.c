/* SPDX-License-Identifier: GPL-2.0-or-later */
/* answers.c - see answers.h. */
#include "solve/answers.h"

#include <xxhash.h>

#include "base/map.h"
#include "base/mem.h"
#include "base/slab.h"

/* An answer of the map: its verdict, and above it 1 + the index of its solution; 0: none. */
enum { VERDICT_BITS = 8 };

struct answers {
	struct map known; /* key -> answer */
	struct slab solutions;
};

struct answers *answers_new(void)
{
	struct answers *answers = mem_alloc(sizeof(*answers));

	answers->solutions = SLAB_OF(struct solution);
	return answers;
}

void answers_free(struct answers *answers)
{
	if (!answers)
		return;
	for (size_t i = 0; i < answers->solutions.count; i++)
		solution_free(slab_at(&answers->solutions, i));
	slab_free(&answers->solutions);
	map_free(&answers->known);
	free(answers);
}

void solution_add(struct solution *solution, struct meaning variable, uint64_t value)
{
	vec_push(&solution->values, ((struct solution_value){variable, value}));
}

static int value_compare(const void *a, const void *b)
{
	const struct solution_value *left = a, *right = b;

	return meaning_compare(&left->variable, &right->variable);
}

void solution_sort(struct solution *solution)
{
	if (solution->values.count)
		qsort(solution->values.at, solution->values.count, sizeof(*solution->values.at), value_compare);
}

const uint64_t *solution_find(const struct solution *solution, struct meaning variable)
{
	struct solution_value wanted = {.variable = variable}, *found = NULL;

	if (solution->values.count)
		found = bsearch(&wanted, solution->values.at, solution->values.count, sizeof(wanted), value_compare);
	return found ? &found->value : NULL;
}

void solution_free(struct solution *solution)
{
	vec_free(&solution->values);
}

struct meaning answers_key(struct meanings *meanings, const struct slice *slice)
{
	VEC_OF(struct meaning) all = {0};

	for (size_t i = 0; i < slice->conditions.count; i++) {
		struct meaning meaning = meaning_of(meanings, slice->conditions.at[i].expression);

		meaning.high ^= (uint64_t)slice->conditions.at[i].wished << 1 | slice->conditions.at[i].value;
		vec_push(&all, meaning);
	}
	if (all.count)
		qsort(all.at, all.count, sizeof(*all.at), meaning_compare);
	XXH128_hash_t key = XXH3_128bits(all.at, all.count * sizeof(*all.at));
	vec_free(&all);
	return (struct meaning){key.low64, key.high64};
}

bool answers_find(const struct answers *answers, struct meaning key, enum solver_verdict *verdict,
		  const struct solution **solution)
{
	const uint64_t *answer = map_get(&answers->known, key.low, key.high);

	if (!answer)
		return false;
	*verdict = (enum solver_verdict)(*answer & ((1u << VERDICT_BITS) - 1));
	*solution = *answer >> VERDICT_BITS ? slab_at(&answers->solutions, (*answer >> VERDICT_BITS) - 1) : NULL;
	return true;
}

void answers_keep(struct answers *answers, struct meaning key, enum solver_verdict verdict, struct solution *solution)
{
	uint64_t answer = verdict;

	if (verdict == SOLVER_SOLVED) {
		*(struct solution *)slab_push(&answers->solutions) = *solution;
		*solution = (struct solution){0};
		answer |= (uint64_t)answers->solutions.count << VERDICT_BITS;
	}
	*map_put(&answers->known, key.low, key.high) = answer;
}

const struct solution *answers_recent(const struct answers *answers, unsigned index)
{
	if (index >= ANSWERS_RECENT || index >= answers->solutions.count)
		return NULL;
	return slab_at(&answers->solutions, answers->solutions.count - 1 - index);
}
