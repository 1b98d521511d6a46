/* SPDX-License-Identifier: GPL-2.0-or-later */
/* reading.h - how a program reads its input: what its branches ask about one byte before they go on to the next.
 *
 *     struct reading reading = {0};
 *     reading_take(&reading, &route, &questions);
 *     ... reading.forks.at[i].other ...        // has any program run gone there?
 *     reading_free(&reading);
 *
 * A parser goes forward: its branches ask whether the next byte is a space, or a quote, until one of them takes it.  All that is
 * asked from the first look at a byte to the first look at the next one is a step.  Steps that only repeat what comes next are
 * left out: the bytes of a word are all read in the same way, and a space before a quote changes nothing.  So `{"a":` and
 * `{ "key" :` are the same reading, although their paths differ.
 *
 * Each branch of a reading is a fork.  What was asked and answered up to there, in the steps that are left, is the name of the way
 * that was taken, and of the other one.  A way has the same name in all executions.
 *
 * What is asked about a byte counts as what it means, not as code: compilers make copies of the same question. */
#ifndef BLACKOUT_SEARCH_READING_H
#define BLACKOUT_SEARCH_READING_H

#include "base/map.h"
#include "search/route.h"

struct reading_fork {
	size_t branch;     /* of the route */
	uint64_t taken;    /* the way that was taken, */
	uint64_t other;    /* and the other one */
	uint64_t question; /* what the other way answers to the branch, wherever in the input that is */
	unsigned repeats;  /* how often the step, or one before it, was done before */
};

/* A zeroed struct is an empty reading. */
struct reading {
	VEC_OF(struct reading_fork) forks;
};

/* `questions`: what is known about questions from other routes; a zeroed map at first. */
void reading_take(struct reading *reading, const struct route *route, struct map *questions);
void reading_free(struct reading *reading);

#endif
