/* SPDX-License-Identifier: GPL-2.0-or-later */
/* frontier.c - see frontier.h. */
#include "search/frontier.h"

#include "search/turner.h"

enum {
	REPEATS_MOST = 16,       /* of one step, in one input */
	FRONTIER_WON = 1 << 16,  /* see frontier.h */
	HOPE_ALL_COST = 4,       /* an input that gives up all conditions seldom does what it should */
	TRIES_FREE = 2,          /* inputs for a question before it costs more, */
	TRIES_FREE_EACH_WON = 4, /* and more for each that went further */
	HANGS_MOST = 3,
};

static bool was_gone(const struct frontier *f, uint64_t way)
{
	const uint64_t *known = map_get(&f->ways, way, 0);

	return known && *known & 1;
}

static struct rank rank_now(void *frontier, const struct candidate *c)
{
	const struct frontier *f = frontier;
	const uint64_t *asked = map_get(&f->ways, c->way, 0), *worth = map_get(&f->worth, c->question, 0);
	uint64_t cost = c->repeats + (asked ? *asked / 2 : 0) + (c->hope == HOPE_ALL ? HOPE_ALL_COST : 0);

	if (worth)
		cost += *worth % FRONTIER_WON / (TRIES_FREE + TRIES_FREE_EACH_WON * (*worth / FRONTIER_WON));
	return (struct rank){{UINT64_MAX - cost, c->execution, c->branch}};
}

/* Returns how many ways none had gone before. */
static size_t ways_take(struct frontier *f, const struct reading *reading)
{
	size_t count = 0;

	for (size_t i = 0; i < reading->forks.count; i++) {
		uint64_t *known = map_put(&f->ways, reading->forks.at[i].taken, 0);

		count += !(*known & 1);
		*known |= 1;
	}
	return count;
}

static void fork_push(struct frontier *f, const struct route *route, uint64_t execution,
		      const struct reading_fork *fork)
{
	const struct route_branch *b = &route->branches.at[fork->branch];
	const struct candidate c = {
		.execution = execution,
		.branch = fork->branch,
		.side = b->side,
		.leads = b->side,
		.most = 1,
		.state = b->state,
		.way = fork->other,
		.question = fork->question,
		.repeats = fork->repeats,
	};

	if (!was_gone(f, fork->other) && fork->repeats < REPEATS_MOST)
		queue_push(&f->queue, &c, rank_now(f, &c));
}

static void ending_take(struct frontier *f, const struct frontier_execution *of)
{
	uint64_t *hangs = of->question ? map_put(&f->hangs, of->question, 0) : NULL;

	if (hangs && *hangs != UINT64_MAX)
		*hangs = of->hung ? *hangs + 1 : UINT64_MAX;
}

static bool leads_to_hangs(const struct frontier *f, uint64_t question)
{
	const uint64_t *hangs = map_get(&f->hangs, question, 0);

	return hangs && *hangs >= HANGS_MOST && *hangs != UINT64_MAX;
}

size_t frontier_learn(struct frontier *f, const struct route *route, const struct frontier_execution *of)
{
	struct reading reading = {0};
	size_t ways;

	reading_take(&reading, route, &f->questions);
	ways = ways_take(f, &reading);
	/* The way that was asked for is no success by itself. */
	if (of->question && ways > 1)
		*map_put(&f->worth, of->question, 0) += FRONTIER_WON;
	ending_take(f, of);
	for (size_t i = 0; !of->hung && i < reading.forks.count; i++)
		fork_push(f, route, of->number, &reading.forks.at[i]);
	reading_free(&reading);
	return ways;
}

bool frontier_pop(struct frontier *f, struct candidate *candidate)
{
	while (queue_pop(&f->queue, rank_now, f, candidate))
		if (!was_gone(f, candidate->way) && !leads_to_hangs(f, candidate->question)) {
			if (!candidate->hope)
				*map_put(&f->ways, candidate->way, 0) += 2;
			return true;
		}
	return false;
}

void frontier_again(struct frontier *f, const struct candidate *c)
{
	struct candidate again = *c;

	again.hope++;
	if (again.hope < HOPES)
		queue_push(&f->queue, &again, rank_now(f, &again));
}

void frontier_asked(struct frontier *f, const struct candidate *c)
{
	*map_put(&f->worth, c->question, 0) += 1;
}

void frontier_free(struct frontier *f)
{
	queue_free(&f->queue);
	map_free(&f->questions);
	map_free(&f->ways);
	map_free(&f->worth);
	map_free(&f->hangs);
}
