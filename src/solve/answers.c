/* SPDX-License-Identifier: GPL-2.0-or-later */
/* answers.c - see answers.h. */
#include "solve/answers.h"

#include <xxhash.h>

#include "base/map.h"
#include "base/mem.h"
#include "base/slab.h"

/* An answer of the map: its verdict, and above it 1 + the index of its solution; 0: none. */
enum { VERDICT_BITS = 8 };

enum { ANSWER_BYTES = 128 /* in the map and the slab */ };

#define GENERATION_BYTES ((size_t)32 << 20)

struct generation {
	struct map known; /* key -> answer */
	struct slab solutions;
	size_t bytes;
};

/* When the new answers take as much memory as they may, they become the old ones, and the old ones are dropped. */
struct answers {
	struct generation new, old;
};

static void generation_begin(struct generation *g)
{
	*g = (struct generation){.solutions = SLAB_OF(struct solution)};
}

static void generation_free(struct generation *g)
{
	for (size_t i = 0; i < g->solutions.count; i++)
		solution_free(slab_at(&g->solutions, i));
	slab_free(&g->solutions);
	map_free(&g->known);
}

struct answers *answers_new(void)
{
	struct answers *answers = mem_alloc(sizeof(*answers));

	generation_begin(&answers->new);
	generation_begin(&answers->old);
	return answers;
}

void answers_free(struct answers *answers)
{
	if (!answers)
		return;
	generation_free(&answers->new);
	generation_free(&answers->old);
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

static bool generation_find(const struct generation *g, struct meaning key, enum solver_verdict *verdict,
			    const struct solution **solution)
{
	const uint64_t *answer = map_get(&g->known, key.low, key.high);

	if (!answer)
		return false;
	*verdict = (enum solver_verdict)(*answer & ((1u << VERDICT_BITS) - 1));
	*solution = *answer >> VERDICT_BITS ? slab_at(&g->solutions, (*answer >> VERDICT_BITS) - 1) : NULL;
	return true;
}

bool answers_find(const struct answers *answers, struct meaning key, enum solver_verdict *verdict,
		  const struct solution **solution)
{
	return generation_find(&answers->new, key, verdict, solution) ||
	       generation_find(&answers->old, key, verdict, solution);
}

static void generation_next(struct answers *answers)
{
	generation_free(&answers->old);
	answers->old = answers->new;
	generation_begin(&answers->new);
}

void answers_keep(struct answers *answers, struct meaning key, enum solver_verdict verdict, struct solution *solution)
{
	struct generation *new = &answers->new;
	uint64_t answer = verdict;

	if (new->bytes >= GENERATION_BYTES)
		generation_next(answers);
	new->bytes += ANSWER_BYTES + solution->values.room * sizeof(*solution->values.at);
	if (verdict == SOLVER_SOLVED) {
		*(struct solution *)slab_push(&new->solutions) = *solution;
		*solution = (struct solution){0};
		answer |= (uint64_t) new->solutions.count << VERDICT_BITS;
	}
	*map_put(&new->known, key.low, key.high) = answer;
}

const struct solution *answers_recent(const struct answers *answers, unsigned index)
{
	const struct slab *new = &answers->new.solutions, *old = &answers->old.solutions;

	if (index >= ANSWERS_RECENT || index >= new->count + old->count)
		return NULL;
	return index < new->count ? slab_at(new, new->count - 1 - index)
				  : slab_at(old, old->count - 1 - (index - new->count));
}
