/* SPDX-License-Identifier: GPL-2.0-or-later */
/* input_search_in.h - the state of a search, for the files that work on it. */
#ifndef BLACKOUT_SEARCH_INPUT_SEARCH_IN_H
#define BLACKOUT_SEARCH_INPUT_SEARCH_IN_H

#include "base/map.h"
#include "base/vec.h"
#include "search/gathering.h"
#include "search/input_search.h"

enum { JOBS_MOST = 64 };

/* An input on its way. */
struct attempt {
	struct input input;
	uint64_t parent;                       /* the execution whose branch was turned; 0: none */
	size_t bound;                          /* the branches before this one are the parent's */
	struct input_bytes marks[SOURCES_MAX]; /* bytes that its path depends on */
	bool done;                             /* it was executed */
	uint64_t kept;                         /* inputs/KEPT; 0: it showed nothing new */
	size_t novelty;                        /* contexts of PM-modifying instructions that it was the first to show */
	struct ending native;
	bool was_native;
	char said[256];
};

struct input_search {
	const struct input_search_options *options;
	struct execution_plan plan;
	struct gathering *gathering;
	struct behavior_set behavior;
	struct map seen;                 /* digests of all inputs that are nodes */
	VEC_OF(struct attempt) attempts; /* execution N is attempts.at[N - 1] */
	VEC_OF(uint64_t) waiting;        /* nodes that are to be executed, */
	size_t waiting_from;             /* from this one on */
	struct execution running[JOBS_MOST];
	size_t running_count;
	uint64_t executions, inputs, branches;
	uint64_t solved, unsat, unknown, concretised;
	uint64_t read_input; /* executions that read any symbolic input */
	double end;          /* monotonic clock; 0: never */
	bool complete;
	bool stopped; /* by the user */
	VEC_OF(char *) notes;
};

/* Add an input, unless it is known.  Returns whether it is new. */
bool input_search_offer(struct input_search *search, struct input *input, uint64_t parent, size_t bound);

__attribute__((format(printf, 2, 3))) void input_search_note(struct input_search *search, const char *format, ...);

#endif
