/* SPDX-License-Identifier: GPL-2.0-or-later */
/* route.h - the branches of a recording that depend on input, in order.
 *
 *     struct route route = {0};
 *     const struct route_learning learning = {.sides = &sides, .reach = reach};
 *     if (route_read(&route, recording, &learning, &err) == 0)
 *             ... route.branches.at[0 .. count - 1] ...
 *     route_free(&route);
 *
 * A route does not need its recording any more.  A search reads most recordings twice: to learn from them, and later
 * perhaps to turn one of their branches. */
#ifndef BLACKOUT_SEARCH_ROUTE_H
#define BLACKOUT_SEARCH_ROUTE_H

#include "base/err.h"
#include "base/vec.h"
#include "expression/expressions.h"
#include "reach/reach.h"
#include "search/sides.h"
#include "solve/condition.h"

struct route_branch {
	enum bo_branch kind;
	bool value;
	uint32_t expression;     /* of width 1 */
	uint64_t site;           /* the branch in its calling context */
	bool inside;             /* it is in a well-known library */
	bool is_new;             /* it took a side that none had taken before; if it was learned from the route */
	size_t side;             /* the other one; if it was learned from the route */
	struct side_state state; /* before it */
};

/* Operations whose result was taken as it was. */
struct route_concrete {
	char *name;
	uint64_t count;
};

struct route {
	struct expressions *x;
	VEC_OF(struct route_branch) branches;
	VEC_OF(bool) ended; /* by id of a source: the program has met its end */
	bool reads_input;
	VEC_OF(struct reach_code) code; /* that was executed; if it was learned from the route */
	VEC_OF(struct route_concrete) concrete;
};

/* What a search learns from a route. */
struct route_learning {
	struct sides *sides;
	struct reach *reach;
};

/* `learning` NULL: nothing is learned. */
int route_read(struct route *route, const char *recording, const struct route_learning *learning, struct err *err);
void route_free(struct route *route);

/* How many bytes of a source there are up to the last one that the program's own branches have looked at; 0: none. */
uint64_t route_looked_at(const struct route *route, uint32_t source);

/* What a branch says about inputs that take the same path. */
struct condition route_condition(const struct route_branch *branch);

#endif
