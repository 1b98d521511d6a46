/* SPDX-License-Identifier: GPL-2.0-or-later */
/* frontier.c - see frontier.h. */
#include "search/frontier.h"
#include "search/turner.h"

enum {
	REPEATS_MOST = 16,
	WON = 1 << 16,
};

static bool was_taken(const struct frontier *f, uint64_t way)
{
	const uint64_t *known = map_get(&f->ways, way, 0);

	return known && *known & 1;
}

static struct rank rank_now(void *frontier, const struct candidate *c)
{
	const struct frontier *f = frontier;
	const uint64_t *asked = map_get(&f->ways, c->way, 0), *worth = map_get(&f->worth, c->question, 0);
	uint64_t cost = c->repeats + (asked ? *asked / 2 : 0) + 4 * (c->hope == HOPE_ALL);

	if (worth)
		cost += *worth % WON / (2 + 4 * (*worth / WON));
	return (struct rank){{UINT64_MAX - cost, c->execution, c->branch}};
}

size_t frontier_learn(struct frontier *f, const struct route *route, uint64_t execution, uint64_t question)
{
	struct reading reading = {0};
	size_t ways = 0;

	reading_take(&reading, route, &f->questions);
	for (size_t i = 0; i < reading.forks.count; i++) {
		uint64_t *known = map_put(&f->ways, reading.forks.at[i].taken, 0);

		ways += !(*known & 1);
		*known |= 1;
	}
	if (question && ways > 1)
		*map_put(&f->worth, question, 0) += WON;
	for (size_t i = 0; i < reading.forks.count; i++) {
		const struct reading_fork *fork = &reading.forks.at[i];
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

		if (!was_taken(f, fork->other) && fork->repeats < REPEATS_MOST)
			queue_push(&f->queue, &c, rank_now(f, &c));
	}
	reading_free(&reading);
	return ways;
}

bool frontier_pop(struct frontier *f, struct candidate *candidate)
{
	while (queue_pop(&f->queue, rank_now, f, candidate))
		if (!was_taken(f, candidate->way)) {
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
}
