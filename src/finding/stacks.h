/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stacks.h - makes the stacks of findings from contexts of a trace, and chooses the location. */
#ifndef BLACKOUT_FINDING_STACKS_H
#define BLACKOUT_FINDING_STACKS_H

#include "base/map.h"
#include "finding/finding.h"
#include "trace/code_stack.h"

/* Fill in the first four members and zero the rest. */
struct stacks {
	struct findings *findings; /* owns the stacks from stacks_make */
	const struct trace *trace;
	struct symbols *symbols;
	const struct findings_options *options; /* may be NULL */
	struct map frames;                      /* from a symbols_frame to the copy of it */
	VEC_OF(struct finding_frame) buffer;    /* the last result of stacks_view */
	struct map variables;                   /* from a context to 1 + index of `named` */
	VEC_OF(struct variable) named;
};

/* The stack of a context; valid until the next call. */
struct finding_stack stacks_view(struct stacks *stacks, uint32_t context);

/* The same, owned by the collection. */
struct finding_stack stacks_make(struct stacks *stacks, uint32_t context);

/* The functions at a place of which only the instruction is known: `offset` in the module's file, or, if `caller`, the
 * instruction before it. */
struct finding_stack stacks_place(struct stacks *stacks, const struct trace_module *module, uint64_t offset,
				  bool caller);

/* What the store of a context stores to, owned by the collection; its text is NULL if that is not known. */
struct variable stacks_variable(struct stacks *stacks, uint32_t context);

/* The stack of a context of another recording. */
struct finding_stack stacks_code(struct stacks *stacks, const struct code_stack *stack);

void stacks_free(struct stacks *stacks);

#endif
