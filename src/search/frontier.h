/* SPDX-License-Identifier: GPL-2.0-or-later */
/* frontier.h - branches that lead to ways of reading the input that no execution has gone (reading.h).
 *
 *     ways = frontier_learn(&frontier, &route, &of);   // of each execution; how many ways are new
 *     while (frontier_pop(&frontier, &candidate))                     // the best branch to turn
 *             frontier_asked(&frontier, &candidate);                  // there is an input for it,
 *             frontier_again(&frontier, &candidate);                  // or there is none on this path: with more hope
 *
 * A candidate costs more, the more often its input has done the same step before, and the more often an input was made for the
 * same way, or for the same question elsewhere without success.  The cheapest one comes first; among equals the newest
 * input, and its last branch: there the program has stopped reading.
 *
 * An input on which the program hangs takes its whole time limit.  So no branch of such an execution is turned, and neither is one
 * whose question has led to a few of them, and to nothing else. */
#ifndef BLACKOUT_SEARCH_FRONTIER_H
#define BLACKOUT_SEARCH_FRONTIER_H

#include "search/queue.h"
#include "search/reading.h"

/* A zeroed struct is an empty frontier. */
struct frontier {
	struct queue queue;
	struct map questions; /* for reading.h */
	struct map ways;      /* bit 0: it was gone; above: how often an input was asked for it */
	struct map worth; /* by question: inputs that were made for it, and FRONTIER_WON for each that went further */
	struct map hangs; /* by question: inputs for it that hung; UINT64_MAX if one did not */
};

struct frontier_execution {
	uint64_t number;
	uint64_t question; /* that of the candidate which the input was made for; 0: it was made for none */
	bool hung;
};

size_t frontier_learn(struct frontier *frontier, const struct route *route, const struct frontier_execution *of);
bool frontier_pop(struct frontier *frontier, struct candidate *candidate);
void frontier_again(struct frontier *frontier, const struct candidate *candidate);
void frontier_asked(struct frontier *frontier, const struct candidate *candidate);
void frontier_free(struct frontier *frontier);

#endif
