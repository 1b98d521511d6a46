/* SPDX-License-Identifier: GPL-2.0-or-later */
/* code_stack.c - see code_stack.h. */
#include "trace/code_stack.h"

#include <stdlib.h>
#include <xxhash.h>

#include "base/arena.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/vec.h"

struct code_stacks {
	const struct trace *trace;
	struct map contexts;              /* of this recording: context -> number */
	struct map modules;               /* hash of path, size and time -> struct trace_module * */
	struct map numbers;               /* hash of the frames -> number */
	VEC_OF(struct code_stack *) all;  /* by number - 1 */
	VEC_OF(struct code_frame) buffer; /* of the stack that is being added */
	struct arena texts;
};

struct code_stacks *code_stacks_new(void)
{
	return mem_alloc(sizeof(struct code_stacks));
}

void code_stacks_free(struct code_stacks *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->modules.room; i++)
		if (s->modules.entries[i].used)
			free((void *)(uintptr_t)s->modules.entries[i].value);
	for (size_t i = 0; i < s->all.count; i++) {
		free((void *)s->all.at[i]->frames);
		free(s->all.at[i]);
	}
	map_free(&s->contexts);
	map_free(&s->modules);
	map_free(&s->numbers);
	vec_free(&s->all);
	vec_free(&s->buffer);
	arena_free(&s->texts);
	free(s);
}

void code_stacks_begin(struct code_stacks *s, const struct trace *trace)
{
	s->trace = trace;
	map_free(&s->contexts);
	s->contexts = (struct map){0};
}

/* Where the module was loaded does not matter. */
static const struct trace_module *module_keep(struct code_stacks *s, const struct trace_module *module)
{
	struct trace_module *kept;
	XXH128_hash_t key;
	uint64_t *known;

	if (!module)
		return NULL;
	key = XXH3_128bits_withSeed(module->path, strlen(module->path), module->file_size ^ module->mtime << 40);
	known = map_put(&s->modules, key.low64, key.high64);
	if (!*known) {
		kept = mem_alloc(sizeof(*kept));
		*kept = *module;
		kept->path = arena_copy(&s->texts, module->path, strlen(module->path));
		*known = (uintptr_t)kept;
	}
	return (const struct trace_module *)(uintptr_t)*known;
}

static uint32_t stack_keep(struct code_stacks *s)
{
	size_t bytes = s->buffer.count * sizeof(*s->buffer.at);
	XXH128_hash_t key = XXH3_128bits(s->buffer.at, bytes);
	uint64_t *number = map_put(&s->numbers, key.low64, key.high64);
	struct code_stack *stack;

	if (!*number) {
		stack = mem_alloc(sizeof(*stack));
		*stack = (struct code_stack){.frames = memcpy(mem_alloc(bytes), s->buffer.at, bytes),
					     .count = s->buffer.count};
		vec_push(&s->all, stack);
		*number = s->all.count;
	}
	return (uint32_t)*number;
}

uint32_t code_stacks_add(struct code_stacks *s, uint32_t context)
{
	uint64_t *known;

	if (!context)
		return 0;
	known = map_put(&s->contexts, context, 0);
	if (!*known) {
		s->buffer.count = 0;
		for (const struct trace_context *at; (at = trace_context(s->trace, context)); context = at->parent)
			vec_push(&s->buffer,
				 ((struct code_frame){module_keep(s, trace_module(s->trace, at->module)), at->offset}));
		*known = stack_keep(s);
	}
	return (uint32_t)*known;
}

const struct code_stack *code_stacks_at(const struct code_stacks *s, uint32_t number)
{
	BUG_ON(!number || number > s->all.count);
	return s->all.at[number - 1];
}
