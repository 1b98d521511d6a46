/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sides.c - see sides.h. */
#include "search/sides.h"

#include "base/random.h"

struct code_place sides_key(struct code_place context, unsigned direction)
{
	return (struct code_place){context.module, random_mix(context.offset + (direction + 1) * RANDOM_STEP)};
}

size_t sides_number(struct sides *sides, struct code_place key)
{
	uint64_t *number = map_put(&sides->numbers, key.module, key.offset);

	if (!*number) {
		vec_push(&sides->all, (struct side){0});
		*number = sides->all.count;
	}
	return *number - 1;
}

void sides_lead(struct sides *sides, size_t side, struct reach_place branch, const struct reach_place *stack,
		size_t depth, unsigned inside)
{
	if (sides->all.at[side].depth)
		return;
	sides->all.at[side].stack = sides->places.count;
	sides->all.at[side].depth = depth;
	sides->all.at[side].branch = branch;
	sides->all.at[side].inside = inside;
	vec_append(&sides->places, stack, depth);
}

void sides_take(struct sides *sides, size_t side)
{
	sides->taken += !sides->all.at[side].taken;
	sides->all.at[side].taken = true;
}

void sides_free(struct sides *sides)
{
	vec_free(&sides->all);
	vec_free(&sides->places);
	map_free(&sides->numbers);
}
