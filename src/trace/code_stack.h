/* SPDX-License-Identifier: GPL-2.0-or-later */
/* code_stack.h - calling contexts that outlive the recordings they come from, to name them later or compare them.
 *
 *     struct code_stacks *stacks = code_stacks_new();
 *     code_stacks_begin(stacks, trace);                        // for each recording
 *     number = code_stacks_add(stacks, ev->context);           // the same number in all recordings
 *     trace_close(trace);
 *     const struct code_stack *stack = code_stacks_at(stacks, number);
 *     symbols_lookup(symbols, stack->frames[0].module, stack->frames[0].offset, false, ...);
 *     code_stacks_free(stacks);
 *
 * Two contexts are the same if all their instructions are; code_place.h is the same for the innermost one alone. */
#ifndef BLACKOUT_TRACE_CODE_STACK_H
#define BLACKOUT_TRACE_CODE_STACK_H

#include "trace/trace.h"

struct code_frame {
	const struct trace_module *module; /* NULL: code outside any module */
	uint64_t offset;                   /* as in struct trace_context */
};

/* Innermost first. */
struct code_stack {
	const struct code_frame *frames;
	size_t count;
};

struct code_stacks;

struct code_stacks *code_stacks_new(void);
void code_stacks_free(struct code_stacks *stacks);

/* The contexts that follow are of this recording, which must stay open meanwhile. */
void code_stacks_begin(struct code_stacks *stacks, const struct trace *trace);

/* The number of the context's stack, from 1; 0 for context 0. */
uint32_t code_stacks_add(struct code_stacks *stacks, uint32_t context);

/* The stack of a number; it lives as long as the collection. */
const struct code_stack *code_stacks_at(const struct code_stacks *stacks, uint32_t number);

#endif
