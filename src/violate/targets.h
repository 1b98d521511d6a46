/* SPDX-License-Identifier: GPL-2.0-or-later */
/* targets.h - which of the violations that a search found are tested, and in which sequence.
 *
 *     if (targets_wants(t, code))                      // at each moment, whose segment has this code
 *             ... targets_add(t, code, event, &violation) ...
 *     targets_rank(t);
 *     for (size_t i = 0; i < t->all.count; i++)        // by event of the moment
 *             if (t->all.at[i].rank < 64) ...
 *
 * A group is a rule and a pair of store sites in segments of the same code.  The first few instances of each group are
 * targets.  Groups are ranked by how often their invariant was seen, then by how often it can be violated. */
#ifndef BLACKOUT_VIOLATE_TARGETS_H
#define BLACKOUT_VIOLATE_TARGETS_H

#include "violate/search.h"

enum { TARGETS_MAX = 1 << 18 };

struct target {
	uint64_t moment; /* the event after which the power fails */
	uint32_t group;
	size_t rank, number; /* of its group; its own, in the order of finding */
	bool tested;
	struct violation violation;
};

struct target_group {
	uint32_t code;
	uint64_t seen;      /* by how much the program shows the invariant */
	uint64_t instances; /* that were found */
	size_t rank;        /* from 0, once ranked */
};

struct target_code {
	uint64_t moments, searched;
};

/* Of one platform.  Zero is an empty set. */
struct targets {
	uint64_t each; /* instances of a group that become targets, at most; 0: all */
	VEC_OF(struct target) all;
	VEC_OF(struct target_group) groups;
	VEC_OF(struct target_code) codes;
	struct map group_index, code_index;
	uint64_t left_out; /* instances that did not become targets */
	bool full;         /* there were more than TARGETS_MAX */
};

void targets_free(struct targets *targets);

/* Count a moment.  Should it be searched?  The first moments of each code are, and later ones more and more rarely:
 * the same code mostly has the same violations. */
bool targets_wants(struct targets *targets, const uint64_t code[2]);

/* Add a violation of a moment that was wanted; false: there are enough of this group. */
bool targets_add(struct targets *targets, const uint64_t code[2], uint64_t moment, const struct violation *violation);

/* Rank the groups.  The targets of each moment are then sorted by rank. */
void targets_rank(struct targets *targets);

#endif
