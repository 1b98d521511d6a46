/* SPDX-License-Identifier: GPL-2.0-or-later */
/* answers.h - what is known from earlier questions: the answer to the same question, and values that may answer another.
 *
 *     struct meaning key = answers_key(&meanings, slice);
 *     if (answers_find(answers, key, &verdict, &solution)) ...
 *     answers_keep(answers, key, verdict, &solution);
 *     answers_recent(answers, 0)                            // the values of the last question that was solved
 *     answers_free(answers);
 *
 * Questions and values are kept by meanings, so they serve all paths.  The oldest ones are dropped when they take too much
 * memory: then such a question is asked again. */
#ifndef BLACKOUT_SOLVE_ANSWERS_H
#define BLACKOUT_SOLVE_ANSWERS_H

#include "solve/meaning.h"
#include "solve/trail.h"

enum { ANSWERS_RECENT = 8 };

enum solver_verdict { SOLVER_SOLVED, SOLVER_UNSAT, SOLVER_UNKNOWN };

struct solution_value {
	struct meaning variable;
	uint64_t value;
};

/* Values of the variables that matter, ascending by meaning. */
struct solution {
	VEC_OF(struct solution_value) values;
};

void solution_add(struct solution *solution, struct meaning variable, uint64_t value);
void solution_sort(struct solution *solution); /* after the last solution_add */
const uint64_t *solution_find(const struct solution *solution, struct meaning variable); /* NULL: it does not matter */
void solution_free(struct solution *solution);

struct answers;

struct answers *answers_new(void);
void answers_free(struct answers *answers);

/* A name for the set of the slice's conditions. */
struct meaning answers_key(struct meanings *meanings, const struct slice *slice);

/* *solution is valid until the next answers_keep, and NULL if the question was not solved. */
bool answers_find(const struct answers *answers, struct meaning key, enum solver_verdict *verdict,
		  const struct solution **solution);

/* Takes the content of the solution. */
void answers_keep(struct answers *answers, struct meaning key, enum solver_verdict verdict, struct solution *solution);

/* The solution of the index-th last question that was solved; NULL: there were fewer, or index is ANSWERS_RECENT. */
const struct solution *answers_recent(const struct answers *answers, unsigned index);

#endif
