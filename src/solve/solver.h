/* SPDX-License-Identifier: GPL-2.0-or-later */
/* solver.h - inputs that take the other side of a branch.
 *
 *     struct solver *solver = solver_new(path_of_blackout_solver, &limits);
 *     struct trail *trail = trail_new(...);                     // the conditions of a path, trail.h
 *     if (solver_turn(solver, trail, index, &verdict, &input, &err) < 0) ...   // no solver can be started
 *     if (verdict == SOLVER_SOLVED) ... input ...              // fulfils the slice: that was checked by evaluation
 *     solver_turn(solver, trail, index, ...)                    // again: another input, if the condition was that a
 *                                                               // target or an address is the one it was
 *     solver_hope(solver, trail, index, RELAX_INSIDE, ...)      // UNSAT: give up conditions that are in the way
 *     solver_free(solver);
 *
 * Z3 is the last thing that is tried.  Before it: the answer to the same question of another path; values that solved a
 * question not long ago; all values, if only one byte matters.  Z3 runs in a process of its own (server.h).  A crash of it, a
 * hang or a lack of memory costs one question, whose verdict is then UNKNOWN.  A site with such questions gets less and
 * less effort, until one is answered.
 *
 * Z3 counts its own effort, and gives up when it has spent as much as it may.  So verdicts do not depend on what else the
 * machine does, unless the time is over first.
 *
 * A solver belongs to one thread. */
#ifndef BLACKOUT_SOLVE_SOLVER_H
#define BLACKOUT_SOLVE_SOLVER_H

#include "base/err.h"
#include "base/stop.h"
#include "solve/answers.h"
#include "solve/trail.h"

#define SOLVER_PROGRAM "blackout-solver" /* a file that is shipped with blackout */

enum {
	SOLVER_EFFORT = 6000000, /* one or two seconds of a processor */
	SOLVER_MS = 120000, /* Z3 does not count everything; much more than it needs, so that no busy machine decides */
	SOLVER_MEMORY_MB = 1024,
	SOLVER_GRACE_MS = 1000
};

struct solver_limits {
	uint32_t effort;    /* for one question, in units of Z3; 0: SOLVER_EFFORT */
	uint32_t ms;        /* for one question; 0: SOLVER_MS */
	uint32_t memory_mb; /* 0: SOLVER_MEMORY_MB */
	uint32_t grace_ms;  /* a process that has not given up so long after its time is killed; 0: SOLVER_GRACE_MS */
	struct stop stop;   /* give up at once: UNKNOWN */
	bool forgetful;     /* ask Z3 every question: to test it, and to compare */
};

struct solver_counts {
	uint64_t solved, unsat, unknown; /* verdicts */
	uint64_t plain;                  /* of them: it was plain that there is no other side, or nothing to give up */
	uint64_t known, recent, enumerated; /* of them: without Z3, in the three ways above */
	uint64_t asked;                     /* of them: Z3 was asked */
	uint64_t slow, late, dead;          /* of those: the time was over, the process had to be killed, or died */
	uint64_t wrong;    /* of those: the answer does not fulfil the conditions: a bug of ours or of Z3 */
	uint64_t left_out; /* conditions beyond the limits of trail.h */
};

struct solver;

struct solver *solver_new(const char *path, const struct solver_limits *limits);
void solver_free(struct solver *solver);

/* *input, which may have had content, is changed only if the verdict is SOLVED. */
int solver_turn(struct solver *solver, struct trail *trail, size_t index, enum solver_verdict *verdict,
		struct assignment *input, struct err *err);

/* The same, but earlier conditions may be given up.  Those that need not be are not.  The input may not do what it should.
 * UNSAT, too, if there is nothing that this relaxation could give up. */
int solver_hope(struct solver *solver, struct trail *trail, size_t index, enum relaxation relaxation,
		enum solver_verdict *verdict, struct assignment *input, struct err *err);

/* Spend only a small part of the effort on the next questions: an execution often takes less time than a hard one. */
void solver_hurry(struct solver *solver, bool hurries);

struct solver_counts solver_counts(const struct solver *solver);

#endif
