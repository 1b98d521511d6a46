/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sides.c - see sides.h. */
#include "search/sides.h"

#include "base/random.h"

enum {
	ROUNDS_EACH = 8,  /* rounds of a loop that are told apart */
	ROUNDS_CHEAP = 4, /* rounds that cost as much as a change */
	COST_MOST = 64
};

struct code_place sides_key(struct code_place context, uint64_t direction)
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

void sides_begin(struct sides *sides)
{
	sides->routes++;
	sides->state = (struct side_state){0};
	sides->news_at = 0;
}

unsigned side_state_cost(struct side_state state)
{
	unsigned cost = 1 + state.changes + state.rounds / ROUNDS_CHEAP;

	return cost <= COST_MOST ? cost : 0;
}

/* In the map: twice how often it was asked for, and 1 if it was taken. */
bool sides_lack(const struct sides *sides, size_t side, struct side_state state, uint64_t *asked)
{
	const uint64_t *known = map_get(&sides->states, side, state.hash);

	*asked = known ? *known / 2 : 0;
	return side_state_cost(state) && !(known && *known & 1);
}

void sides_ask(struct sides *sides, size_t side, struct side_state state)
{
	if (side_state_cost(state))
		*map_put(&sides->states, side, state.hash) += 2;
}

/* Many rounds of a loop are not told apart, and a side that is taken once is nothing special. */
static uint64_t run_hash(const struct sides *sides, size_t side)
{
	const struct side *s = &sides->all.at[side];
	unsigned class =
		s->run <= ROUNDS_EACH ? s->run : ROUNDS_EACH + 31 - (unsigned)__builtin_clz(s->run / ROUNDS_EACH);

	if (s->route != sides->routes || (s->run == 1 && !s->before))
		return 0;
	return random_mix(s->before + ((uint64_t)side << 8 | class) * RANDOM_STEP);
}

static void state_change(struct sides *sides, size_t side, size_t other)
{
	struct side *s = &sides->all.at[side], *o = &sides->all.at[other];
	bool changes = o != s && o->route == sides->routes, again = s->route == sides->routes;

	sides->state.hash -= run_hash(sides, side) + (changes ? run_hash(sides, other) : 0);
	s->before = changes ? random_mix(run_hash(sides, other) + other + 1) : again ? s->before : 0;
	s->run = again && !changes ? s->run + 1 : 1;
	o->route = 0; /* the other side is not the last one any more */
	s->route = sides->routes;
	sides->state.hash += run_hash(sides, side);
	sides->state.changes += changes;
	sides->state.rounds += again && !changes;
}

void sides_take(struct sides *sides, size_t side, size_t other, bool own)
{
	struct side *s = &sides->all.at[side];
	uint64_t *known = !sides->aside && side_state_cost(sides->state)
				  ? map_put(&sides->states, side, sides->state.hash)
				  : NULL;

	s->states += known && !(*known & 1);
	sides->deeper += s->taken && !s->is_bulk && known && !(*known & 1);
	if (known)
		*known |= 1;
	if (!s->taken && !s->is_bulk)
		sides->news_at = side_state_cost(sides->state);
	sides->taken += !s->taken;
	sides->news += !s->taken && !s->is_bulk;
	s->taken = true;
	if (own)
		state_change(sides, side, other);
}

void sides_jump(struct sides *sides, size_t jump, struct code_place context, uint64_t target, bool own)
{
	size_t side = sides_number(sides, sides_key(context, SIDE_TARGET + target));
	struct side *j = &sides->all.at[jump];
	size_t last = j->route == sides->routes ? j->before : side;

	j->route = sides->routes;
	j->before = side;
	if (!sides->all.at[side].taken)
		vec_push(&sides->targets, ((struct side_target){jump, target}));
	sides_take(sides, side, last, own);
}

void sides_free(struct sides *sides)
{
	vec_free(&sides->all);
	vec_free(&sides->places);
	vec_free(&sides->targets);
	map_free(&sides->numbers);
	map_free(&sides->states);
}
