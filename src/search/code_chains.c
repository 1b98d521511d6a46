/* SPDX-License-Identifier: GPL-2.0-or-later */
/* code_chains.c - see code_chains.h. */
#include "search/code_chains.h"

#include "base/random.h"
#include "trace/trace.h"

static struct code_place chain_link(struct code_place outer, struct code_place inner)
{
	return (struct code_place){
		.module = random_mix(outer.module + random_mix(inner.module + RANDOM_STEP)),
		.offset = random_mix(outer.offset * 3 + random_mix(inner.offset + outer.module)),
	};
}

/* Made from the outside in. */
struct code_place code_chain(struct code_chains *chains, const struct trace *trace, uint32_t context)
{
	VEC_OF(uint32_t) inner = {0};
	struct code_place hash = {0};

	while (chains->at.count <= trace_context_count(trace))
		vec_push(&chains->at, (struct code_chain){0});
	for (; context && !chains->at.at[context].known; context = trace_context_parent(trace, context))
		vec_push(&inner, context);
	if (context)
		hash = chains->at.at[context].hash;
	while (inner.count) {
		uint32_t next = inner.at[--inner.count];

		hash = chain_link(hash, code_place(trace, next));
		chains->at.at[next] = (struct code_chain){hash, true};
	}
	vec_free(&inner);
	return hash;
}

void code_chains_free(struct code_chains *chains)
{
	vec_free(&chains->at);
}
