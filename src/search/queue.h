/* SPDX-License-Identifier: GPL-2.0-or-later */
/* queue.h - branches that are still to be turned, the most promising one first.
 *
 *     struct queue queue = {0};
 *     queue_push(&queue, &candidate, rank);
 *     while (queue_pop(&queue, rank_now, arg, &candidate)) ...
 *     queue_free(&queue);
 *
 * What is promising changes as the search learns, mostly for the worse: a branch that was turned in vain is worth less
 * than before.  So a candidate is ranked again when it is about to be taken, and goes back if another one is better now.
 *
 * A queue that is full drops the half whose ranks were lower when they were last computed. */
#ifndef BLACKOUT_SEARCH_QUEUE_H
#define BLACKOUT_SEARCH_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "search/sides.h"

enum { QUEUE_MOST = 1 << 19 /* candidates: 63 MB */ };

/* A branch of an execution. */
struct candidate {
	uint64_t execution;
	size_t branch;  /* its index in the path */
	size_t side;    /* that was not taken (sides.h) */
	size_t leads;   /* the side that it is turned for: the same, or that of a later branch */
	unsigned tries; /* how often it was turned */
	unsigned most;  /* how often it may be turned: an indirect jump has several other sides */
	struct side_state state;
	/* Of frontier.h; `way` is 0 in the queue of the strategy. */
	uint64_t way, question;
	unsigned repeats;
	bool near;     /* it comes right after a side that none had taken before */
	bool patient;  /* a quick question was not answered */
	unsigned hope; /* enum turner_hope: more than none, if it cannot be turned on this path */
};

/* Larger numbers come first; the first number that differs decides. */
struct rank {
	uint64_t at[3];
};

struct queued {
	struct candidate candidate;
	struct rank rank;
	uint64_t order; /* among equals, the earlier comes first */
};

/* A zeroed struct is an empty queue. */
struct queue {
	VEC_OF(struct queued) heap;
	uint64_t pushed;
	uint64_t dropped;
};

void queue_push(struct queue *queue, const struct candidate *candidate, struct rank rank);

/* Take the best; false: the queue is empty.  `now` tells what a candidate is worth by now. */
bool queue_pop(struct queue *queue, struct rank (*now)(void *arg, const struct candidate *candidate), void *arg,
	       struct candidate *candidate);

void queue_free(struct queue *queue);

#endif
