/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stacks.c - see stacks.h. */
#include "finding/stacks.h"

#include "finding/helpers.h"
#include "finding/own.h"

static const struct finding_frame *frame_copy(struct stacks *s, const struct symbols_frame *from,
					      const struct trace_module *module)
{
	uint64_t *found = map_put(&s->frames, (uintptr_t)from, 0);

	if (!*found) {
		struct finding_frame *frame = findings_block(s->findings, 1, sizeof(*frame));

		*frame = (struct finding_frame){
			.file = findings_text(s->findings, from->file),
			.path = findings_text(s->findings, from->path),
			.function = findings_text(s->findings, from->function),
			.module = findings_text(s->findings, from->module),
			.offset = from->offset,
			.line = from->line,
			.inlined = from->inlined,
		};
		frame->own = own_frame(frame, module ? module->path : NULL, s->options);
		frame->helper = frame->own && s->options && helpers_have(s->options->helpers, from);
		frame->own &= !frame->helper;
		*found = (uintptr_t)frame;
	}
	return (const struct finding_frame *)(uintptr_t)*found;
}

/* Something must have called the helpers.  If no frame is the user's own, the outermost helper counts as the user's
 * code. */
static void stack_keep_own(struct finding_frame *frames, size_t count)
{
	size_t outermost = count;

	for (size_t i = 0; i < count; i++) {
		if (frames[i].own)
			return;
		if (frames[i].helper)
			outermost = i;
	}
	if (outermost < count)
		frames[outermost].own = true;
}

/* The stack of the frames in the buffer. */
static struct finding_stack stack_of(struct stacks *s)
{
	struct finding_stack stack = {.frames = s->buffer.at, .count = s->buffer.count};

	stack_keep_own(s->buffer.at, s->buffer.count);
	stack.location = own_location(&stack);
	return stack;
}

/* Adds the functions at a place to the buffer. */
static void place_add(struct stacks *s, const struct trace_module *module, uint64_t offset, bool caller)
{
	const struct symbols_frame *found;
	size_t count = symbols_lookup(s->symbols, module, offset, caller, &found);

	for (size_t i = 0; i < count; i++)
		vec_push(&s->buffer, *frame_copy(s, &found[i], module));
}

struct finding_stack stacks_view(struct stacks *s, uint32_t context)
{
	bool caller = false;

	s->buffer.count = 0;
	for (const struct trace_context *at; (at = trace_context(s->trace, context)); context = at->parent) {
		place_add(s, trace_module(s->trace, at->module), at->offset, caller);
		caller = true;
	}
	return stack_of(s);
}

static struct finding_stack stack_keep(struct stacks *s, struct finding_stack stack)
{
	stack.frames = findings_block(s->findings, stack.count, sizeof(*stack.frames));
	for (size_t i = 0; i < stack.count; i++)
		stack.frames[i] = s->buffer.at[i];
	return stack;
}

struct finding_stack stacks_make(struct stacks *s, uint32_t context)
{
	return stack_keep(s, stacks_view(s, context));
}

struct finding_stack stacks_place(struct stacks *s, const struct trace_module *module, uint64_t offset, bool caller)
{
	s->buffer.count = 0;
	place_add(s, module, offset, caller);
	return stack_keep(s, stack_of(s));
}

struct finding_stack stacks_code(struct stacks *s, const struct code_stack *stack)
{
	s->buffer.count = 0;
	for (size_t i = 0; i < stack->count; i++)
		place_add(s, stack->frames[i].module, stack->frames[i].offset, i > 0);
	return stack_keep(s, stack_of(s));
}

struct variable stacks_variable(struct stacks *s, uint32_t context)
{
	uint64_t *found = map_put(&s->variables, context, 0);

	if (!*found) {
		struct variable v = {0};

		if (!variable_find(s->symbols, s->trace, context, 0, 0, &s->findings->texts, &v))
			v = (struct variable){0};
		vec_push(&s->named, v);
		*found = s->named.count;
	}
	return s->named.at[*found - 1];
}

void stacks_free(struct stacks *s)
{
	map_free(&s->variables);
	vec_free(&s->named);
	map_free(&s->frames);
	vec_free(&s->buffer);
}
