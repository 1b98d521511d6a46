/* SPDX-License-Identifier: GPL-2.0-or-later */
/* results.h - failures that have been explained: the findings of a campaign, before they are reported.
 *
 * explain/ fills them, one job at a time.  A later judging adds to them, and does not explain a job again.
 *
 *     for (size_t i = 0; i < results->all.count; i++)
 *             crash_add(crash, &results->all.at[i].sighting); */
#ifndef BLACKOUT_CRASH_RESULTS_H
#define BLACKOUT_CRASH_RESULTS_H

#include "base/map.h"
#include "base/vec.h"
#include "crash/outcomes.h"
#include "finding/crash_finding.h"

enum { RESULT_STORES_MAX = 4096, RESULT_FRAMES_MAX = 64, RESULT_CONTEXTS_MAX = 16 };

/* A set of a campaign's strategies: a bit for each, by its place in the list. */
typedef uint64_t strategy_set;

enum { STRATEGY_SET_MAX = 64 };

static inline strategy_set strategy_bit(unsigned strategy)
{
	return (strategy_set)1 << strategy;
}

/* A finding under construction.  The campaign owns all that it points to. */
struct result {
	struct crash_sighting sighting; /* without its detectors, until it is reported */
	strategy_set strategies;        /* that found it */
	struct verdict verdict;
	bool by_loss;
	uint32_t contexts[RESULT_CONTEXTS_MAX]; /* contexts whose stores must be lost; 0 ends the list */
};

struct results {
	VEC_OF(struct result) all;
	struct map explained; /* (platform and first state of a job) -> 1 + index of the result, or EXPLAINED_FINE */
	uint64_t flaky;       /* states where recovery failed, but passed when run again alone */
	uint64_t unexamined;  /* states whose failure an oracle may have excused, had there been time to ask it */
	uint64_t postponed;   /* how often a job was left to a later judging */
	double seconds;       /* spent on causes so far */
	unsigned folders;     /* number of the last folder */
	/* The first error when something could not be kept, usually for lack of space.  Findings are reported
	 * anyway. */
	bool is_unkept;
	struct err unkept;
};

/* The job needs no finding. */
#define EXPLAINED_FINE UINT64_MAX

/* Note that something could not be kept.  The first such error is reported at the end. */
void results_unkept(struct results *results, const struct err *err);

void results_free(struct results *results);

#endif
