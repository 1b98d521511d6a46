/* SPDX-License-Identifier: GPL-2.0-or-later */
/* code_chains.h - whole calling contexts, to compare between recordings, as trace/code_place.h does with instructions.
 *
 *     struct code_chains chains = {0};
 *     code_place_same(code_chain(&chains, trace, a), code_chain(&others, other_trace, b))      // called in the same way?
 *     code_chains_free(&chains);
 *
 * Each context of a recording is looked at once. */
#ifndef BLACKOUT_SEARCH_CODE_CHAINS_H
#define BLACKOUT_SEARCH_CODE_CHAINS_H

#include "base/vec.h"
#include "trace/code_place.h"

struct code_chain {
	struct code_place hash;
	bool known;
};

/* Of one recording; zeroed: empty. */
struct code_chains {
	VEC_OF(struct code_chain) at; /* by context */
};

struct code_place code_chain(struct code_chains *chains, const struct trace *trace, uint32_t context);
void code_chains_free(struct code_chains *chains);

#endif
