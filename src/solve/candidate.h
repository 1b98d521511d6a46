/* SPDX-License-Identifier: GPL-2.0-or-later */
/* candidate.h - inputs that may take the other side of a branch: made from values, judged by evaluation, drawn near to the
 * input of the path. */
#ifndef BLACKOUT_SOLVE_CANDIDATE_H
#define BLACKOUT_SOLVE_CANDIDATE_H

#include "solve/answers.h"
#include "solve/trail.h"

/* Make `input` that of the path, with the solution's values for the variables of the slice.  False: it would be too long. */
bool candidate_make(struct trail *trail, const struct slice *slice, const struct solution *solution,
		    struct assignment *input);

/* Do all conditions of the slice hold that are not only wished for? */
bool candidate_holds(struct trail *trail, const struct slice *slice, const struct assignment *input);

/* If the slice has only one variable, and that is a byte, try all values.  True: *verdict is SOLVED or UNSAT. */
bool candidate_enumerate(struct trail *trail, const struct slice *slice, enum solver_verdict *verdict,
			 struct assignment *input);

/* Give bytes and lengths back the values that they have in the input of the path, as long as all conditions hold. */
void candidate_draw_near(struct trail *trail, const struct slice *slice, struct assignment *input);

/* The values of the slice's variables. */
void candidate_solution(struct trail *trail, const struct slice *slice, const struct assignment *input,
			struct solution *solution);

#endif
