/* SPDX-License-Identifier: GPL-2.0-or-later */
/* keys.c - see keys.h.
 *
 * Memory grows with the keys that were chosen, not with `count`.  So the random order of keys is not a table, but a
 * Feistel network: a function that permutes [0, 4^n), applied again while its result is too large. */
#include "ops/keys.h"

#include "base/err.h"
#include "base/map.h"
#include "base/random.h"
#include "base/vec.h"

enum { ROUNDS = 4 };

struct keys {
	uint64_t count;
	enum keys_distribution distribution;
	uint64_t random;
	uint64_t rounds[ROUNDS]; /* of the Feistel network: what each mixes in */
	unsigned half;           /* bits in each half of its numbers */
	VEC_OF(uint64_t) chosen; /* in the order of their first choice */
	size_t old;              /* so many of them are of earlier operations */
	struct map is_chosen;
	uint64_t unused; /* all ranks below were chosen */
};

struct keys *keys_new(uint64_t count, enum keys_distribution distribution, uint64_t seed)
{
	struct keys *keys = mem_alloc(sizeof(*keys));

	BUG_ON(!count || count > KEYS_MAX);
	keys->count = count;
	keys->distribution = distribution;
	keys->random = random_mix(random_seed(seed, 1));
	for (unsigned i = 0; i < ROUNDS; i++)
		keys->rounds[i] = random_next(&keys->random);
	while (count > UINT64_C(1) << 2 * keys->half)
		keys->half++;
	return keys;
}

void keys_free(struct keys *keys)
{
	vec_free(&keys->chosen);
	map_free(&keys->is_chosen);
	free(keys);
}

static uint64_t feistel(const struct keys *keys, uint64_t number)
{
	uint64_t mask = (UINT64_C(1) << keys->half) - 1, left = number >> keys->half, right = number & mask;

	for (unsigned i = 0; i < ROUNDS; i++) {
		uint64_t mixed = left ^ (random_mix(right ^ keys->rounds[i]) & mask);

		left = right;
		right = mixed;
	}
	return left << keys->half | right;
}

/* The key of that rank, which starts at 0. */
static uint64_t key_at(const struct keys *keys, uint64_t rank)
{
	if (rank >= keys->count)
		return rank + 1;
	do
		rank = feistel(keys, rank);
	while (rank >= keys->count);
	return rank + 1;
}

/* Each number below `count` with a probability proportional to 1/(number + 1), by rejection: choose one of the ranges
 * [1, 2), [2, 4), [4, 8), ..., then a place in it, each with equal probability, which would give each n of [2^k,
 * 2^(k+1)) the weight 1/2^k; keep the n with probability 2^k/n. */
static uint64_t zipf_below(uint64_t *random, uint64_t count)
{
	unsigned ranges = 64 - (unsigned)__builtin_clzll(count);

	for (;;) {
		uint64_t low = UINT64_C(1) << random_below(random, ranges);
		uint64_t n = low + random_below(random, low);

		if (n <= count && random_below(random, n) < low)
			return n - 1;
	}
}

static uint64_t rank_below(struct keys *keys, uint64_t count)
{
	return keys->distribution == KEYS_ZIPF ? zipf_below(&keys->random, count) : random_below(&keys->random, count);
}

static uint64_t key_choose(struct keys *keys, uint64_t rank)
{
	uint64_t key = key_at(keys, rank), *chosen = map_put(&keys->is_chosen, rank, 0);

	if (!*chosen) {
		*chosen = 1;
		vec_push(&keys->chosen, key);
	}
	return key;
}

uint64_t keys_any(struct keys *keys)
{
	if (keys->old && random_below(&keys->random, 3))
		return keys_old(keys);
	return key_choose(keys, rank_below(keys, keys->count));
}

uint64_t keys_unused(struct keys *keys)
{
	while (map_get(&keys->is_chosen, keys->unused, 0))
		keys->unused++;
	return key_choose(keys, keys->unused);
}

uint64_t keys_old(struct keys *keys)
{
	BUG_ON(!keys->old);
	return keys->chosen.at[rank_below(keys, keys->old)];
}

bool keys_have_old(const struct keys *keys)
{
	return keys->old > 0;
}

void keys_settle(struct keys *keys)
{
	keys->old = keys->chosen.count;
}
