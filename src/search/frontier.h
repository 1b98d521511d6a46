/* SPDX-License-Identifier: GPL-2.0-or-later */
/* frontier.h - branches that lead to ways of reading the input that no execution has gone (reading.h).
 *
 *     frontier_learn(&frontier, &reading, ...);
 */
#ifndef BLACKOUT_SEARCH_FRONTIER_H
#define BLACKOUT_SEARCH_FRONTIER_H

#include "search/queue.h"
#include "search/reading.h"

struct frontier {
	struct queue queue;
	struct map questions; /* for reading.h */
	struct map ways;      /* 1: it was taken; and twice how often an input was made for it */
	struct map worth;     /* by question: struct frontier_worth */
};

size_t frontier_learn(struct frontier *frontier, const struct route *route, uint64_t execution, uint64_t question);
bool frontier_pop(struct frontier *frontier, struct candidate *candidate);
void frontier_again(struct frontier *frontier, const struct candidate *candidate);
void frontier_asked(struct frontier *frontier, const struct candidate *candidate);
void frontier_free(struct frontier *frontier);

#endif
