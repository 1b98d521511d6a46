/* SPDX-License-Identifier: GPL-2.0-or-later */
/* random.h - random numbers that depend only on a seed (SplitMix64).
 *
 *     uint64_t state = random_seed(options->seed, event);    // another sequence for each event
 *     uint64_t first = random_next(&state);
 *
 * Only the compiler is needed: the stub inside recovery programs includes this, too. */
#ifndef BLACKOUT_BASE_RANDOM_H
#define BLACKOUT_BASE_RANDOM_H

#include <stdint.h>

#define RANDOM_STEP UINT64_C(0x9e3779b97f4a7c15) /* 2^64 divided by the golden ratio */

static inline uint64_t random_seed(uint64_t seed, uint64_t number)
{
	return seed * RANDOM_STEP + number;
}

/* A number whose bits depend on all bits of `state`. */
static inline uint64_t random_mix(uint64_t state)
{
	state = (state ^ state >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	state = (state ^ state >> 27) * UINT64_C(0x94d049bb133111eb);
	return state ^ state >> 31;
}

static inline uint64_t random_next(uint64_t *state)
{
	return random_mix(*state += RANDOM_STEP);
}

/* A number below `limit`, which is not 0; all are equally likely. */
static inline uint64_t random_below(uint64_t *state, uint64_t limit)
{
	uint64_t excess = (UINT64_MAX % limit + 1) % limit, number;

	do
		number = random_next(state);
	while (number > UINT64_MAX - excess);
	return number % limit;
}

#endif
