/* SPDX-License-Identifier: GPL-2.0-or-later */
/* known.h - expressions whose values follow from the conditions so far, and what other expressions become with them.
 *
 *     known_put(&known, x, id, value);                      // a condition says so
 *     uint32_t simpler = known_apply(&known, x, id);      // the same value as `id` for all inputs that fulfil the conditions
 *     known_free(&known);
 *
 * After "the first zero byte is at 7", all that is computed from this length is known, and what depends on it no longer
 * depends on the bytes before. */
#ifndef BLACKOUT_SOLVE_KNOWN_H
#define BLACKOUT_SOLVE_KNOWN_H

#include "base/map.h"
#include "base/vec.h"
#include "expression/expressions.h"

/* A zeroed struct: nothing is known. */
struct known {
	struct map values;        /* expression -> constant expression */
	struct map simpler;       /* expression -> what it became, since something became known the last time */
	VEC_OF(uint32_t) waiting; /* expressions whose operands come first */
	uint64_t work;            /* expressions that were looked at */
};

void known_put(struct known *known, struct expressions *x, uint32_t id, uint64_t value);
uint32_t known_apply(struct known *known, struct expressions *x, uint32_t id);
void known_free(struct known *known);

#endif
