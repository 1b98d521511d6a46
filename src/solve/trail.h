/* SPDX-License-Identifier: GPL-2.0-or-later */
/* trail.h - the conditions of one path, prepared to be turned one by one.
 *
 *     struct trail *trail = trail_new(x, conditions, count, &input, limits, source_count);
 *     struct slice slice = {0};
 *     trail_slice(trail, index, &slice);          // what another input must fulfil to take the other side there
 *     slice_free(&slice);
 *     trail_free(trail);
 *
 * To take the other side of condition `index`, all earlier conditions must hold, so that the program gets there.  Only
 * those matter that share a variable with it, directly or through others: the slice.  Everything else stays as it is.
 *
 * If that is not possible, some of the earlier conditions may be given up (trail_relaxed).  They are wished for: as many of
 * them as possible should hold.  The program may then not get there, or may compute something else.
 *
 * The graph gets a few more expressions; nothing else may add to it while the trail exists. */
#ifndef BLACKOUT_SOLVE_TRAIL_H
#define BLACKOUT_SOLVE_TRAIL_H

#include "expression/assignment.h"
#include "expression/evaluation.h"
#include "expression/variables.h"
#include "solve/condition.h"
#include "solve/meaning.h"

/* What new inputs may have in one source. */
struct trail_limits {
	uint64_t length_max;
	/* Bit N: byte N must not be put into it.  Where it was before, it stays. */
	uint64_t forbidden[4];
	uint8_t filler; /* for bytes that are added because the source must be longer, and that no condition is about */
};

enum {
	/* Loops test the same thing again and again.  A slice has at most so many conditions of one site, and so many
	 * in all.  Without the others a prediction may be wrong, which costs a run. */
	TRAIL_SITE_MOST = 512,
	TRAIL_SLICE_MOST = 4096,
};

struct trail {
	struct expressions *x;
	const struct assignment *input;
	struct variables *variables;
	struct evaluation *evaluation;
	struct meanings meanings;
	uint64_t serial; /* no trail of another graph has the same */
	enum relaxation relaxation;
	VEC_OF(struct trail_condition) conditions;
	VEC_OF(struct trail_part) parts; /* of the conditions, in their sequence */
	VEC_OF(struct trail_group) groups;
	VEC_OF(struct trail_limits) limits; /* by source - 1 */
	VEC_OF(struct trail_exclusion) exclusions;
	uint64_t broken; /* conditions that do not hold for the input of the path: a bug of the recorder */
	VEC_OF(struct condition) given;     /* of trail_new */
	struct trail *relaxed[RELAXATIONS]; /* NULL: not made yet */
};

/* All parts that depend on the same variables. */
struct trail_group {
	const struct variable_set *set;
	size_t first; /* the first condition that has such a part */
};

/* A condition is split into parts that all hold if it does (split.h). */
struct trail_part {
	struct condition as;
	bool wished;
	uint32_t group;
};

struct trail_condition {
	struct condition as; /* normalized, and as simple as what is known from earlier ones makes it (known.h) */
	const struct variable_set *set;
	size_t parts_before; /* those of earlier conditions; parts that were there before are left out */
	bool useless; /* it follows from earlier ones, depends on no variable, or does not hold: it has no other side */
};

/* An answer that was given: the next one for the same condition is another one. */
struct trail_exclusion {
	size_t index;
	uint32_t expression; /* must be 0 */
};

/* Conditions count from 0.  `input` must outlive the trail.  Sources beyond `limit_count` must keep length and bytes within
 * what the input has. */
struct trail *trail_new(struct expressions *x, const struct condition *conditions, size_t count,
			const struct assignment *input, const struct trail_limits *limits, size_t limit_count);
void trail_free(struct trail *trail);

/* The same path with conditions that are only wished for.  It belongs to the trail. */
struct trail *trail_relaxed(struct trail *trail, enum relaxation relaxation);

/* The answer was given for the condition: exclude it from now on, if the condition compares with a constant. */
void trail_exclude(struct trail *trail, size_t index, const struct assignment *answer);
/* The same for what is compared with the constant. */
void trail_exclude_value(struct trail *trail, size_t index, uint64_t value);
/* Forget `count` exclusions, from one on.  Later ones, such as that of the last answer, stay. */
void trail_include(struct trail *trail, size_t from, size_t count);

struct slice_condition {
	uint32_t expression;
	bool value;
	bool wished;
};

/* A zeroed struct is an empty slice. */
struct slice {
	VEC_OF(struct slice_condition) conditions; /* the turned one is the last */
	VEC_OF(uint32_t) variables;                /* expressions: INPUTs and LENGTHs, ascending as variables */
	struct variable_set *set;                  /* of the variables */
	uint64_t left_out;                         /* conditions beyond the limits above */
};

/* Return false if it is plain that there is no other side. */
bool trail_slice(struct trail *trail, size_t index, struct slice *slice);
void slice_free(struct slice *slice);

/* An input was found: demand the wishes that it fulfils, and drop the others. */
void slice_settle(struct slice *slice, struct evaluation *evaluation, const struct assignment *input);
bool slice_has_wishes(const struct slice *slice);

#endif
