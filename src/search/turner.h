/* SPDX-License-Identifier: GPL-2.0-or-later */
/* turner.h - make the input that takes the other side of a branch of an execution.
 *
 *     struct turner *turner = turner_new(&plan, max_input, &stop, &err);
 *     r = turner_turn(turner, &question, &verdict, &input, &err);       // SOLVER_SOLVED: *input is the caller's to free
 *     turner_free(turner);
 *
 * The routes of a few executions are kept, because many of their branches are turned one after the other. */
#ifndef BLACKOUT_SEARCH_TURNER_H
#define BLACKOUT_SEARCH_TURNER_H

#include "search/execution.h"
#include "solve/solver.h"

struct turner;

/* What may be given up for a branch that cannot be turned on its path.  The input may then not do what it should. */
enum turner_hope {
	HOPE_NONE,
	HOPE_INSIDE, /* conditions inside C libraries, addresses; the length of a word (keyword.h) or number (number.h) */
	HOPE_ALL,    /* any condition, but as few as possible */
	HOPES,
	HOPE_LONGER = HOPES /* nothing is asked: the line that the branch looks at gets longer, so that there is room */
};

struct turner_question {
	uint64_t execution;
	const struct input *input; /* of the execution */
	size_t branch;             /* of its route */
	bool patient;              /* it may take seconds */
	enum turner_hope hope;
	const struct input *const *made; /* for the same branch before: the answer is another one, if it can be */
	size_t made_count;
	const uint64_t *taken; /* where other executions jumped at the same place: to somewhere else, if it can be */
	size_t taken_count;
	bool *exhausted; /* set if there is none */
};

/* NULL: the solver is not installed.  `stop`: no answer is needed any more. */
struct turner *turner_new(const struct execution_plan *plan, size_t max_input, const struct stop *stop,
			  struct err *err);
void turner_free(struct turner *turner); /* NULL is fine */

/* -1: the recording cannot be read, or the solver cannot be started. */
int turner_turn(struct turner *turner, const struct turner_question *question, enum solver_verdict *verdict,
		struct input *input, struct err *err);

/* Questions that were not given up by their effort: their time was over, or the solver died.  Asked again, they may get an
 * answer. */
uint64_t turner_lost(const struct turner *turner);

/* The number of the source that a route calls `id`; -1: it is none of the search's. */
int turner_source(const struct execution_plan *plan, const struct expressions *x, uint32_t id);

#endif
