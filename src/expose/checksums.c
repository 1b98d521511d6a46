/* SPDX-License-Identifier: GPL-2.0-or-later */
/* checksums.c - see checksums.h. */
#include "expose/checksums.h"

#include <stdlib.h>

#include "base/vec.h"
#include "finding/own.h"
#include "trace/symbols.h"

enum answer { UNASKED, YES, NO };
enum use { COMPARED = 1, USED = 2 };

struct checksums {
	const char *const *names;
	size_t count;
	bool *met; /* by name */
	const struct code_stacks *stacks;
	VEC_OF(uint8_t) answers; /* by stack: enum answer */
	VEC_OF(uint8_t) uses;    /* by stack: enum use */
	struct symbols *symbols;
};

struct checksums *checksums_new(const char *const *names, size_t count, const struct code_stacks *stacks)
{
	struct checksums *c = mem_alloc(sizeof(*c));

	c->names = names;
	c->count = count;
	c->met = mem_alloc(count + 1);
	c->stacks = stacks;
	c->symbols = symbols_open(NULL);
	return c;
}

void checksums_free(struct checksums *c)
{
	if (!c)
		return;
	symbols_close(c->symbols);
	vec_free(&c->answers);
	vec_free(&c->uses);
	free(c->met);
	free(c);
}

static bool function_matches(struct checksums *c, const char *function)
{
	bool matches = false;

	for (size_t i = 0; i < c->count; i++)
		if (own_matches_function(c->names[i], function))
			c->met[i] = matches = true;
	return matches;
}

static bool stack_matches(struct checksums *c, const struct code_stack *stack)
{
	const struct symbols_frame *frames;
	bool matches = false;

	for (size_t i = 0; i < stack->count; i++) {
		size_t count =
			symbols_lookup(c->symbols, stack->frames[i].module, stack->frames[i].offset, i > 0, &frames);

		for (size_t k = 0; k < count; k++)
			matches |= function_matches(c, frames[k].function);
	}
	return matches;
}

bool checksums_cover(struct checksums *c, uint32_t stack)
{
	if (!c->count || !stack)
		return false;
	while (c->answers.count <= stack)
		vec_push(&c->answers, UNASKED);
	if (c->answers.at[stack] == UNASKED)
		c->answers.at[stack] = stack_matches(c, code_stacks_at(c->stacks, stack)) ? YES : NO;
	return c->answers.at[stack] == YES;
}

static void use_add(struct checksums *c, uint32_t stack, enum use use)
{
	while (c->uses.count <= stack)
		vec_push(&c->uses, 0);
	c->uses.at[stack] |= (uint8_t)use;
}

void checksums_compared(struct checksums *c, uint32_t stack)
{
	use_add(c, stack, COMPARED);
}

void checksums_used(struct checksums *c, uint32_t stack)
{
	use_add(c, stack, USED);
}

bool checksums_only_compared(const struct checksums *c, uint32_t stack)
{
	return stack < c->uses.count && c->uses.at[stack] == COMPARED;
}

const char *checksums_unmet(const struct checksums *c, size_t index)
{
	for (size_t i = 0; i < c->count; i++)
		if (!c->met[i] && !index--)
			return c->names[i];
	return NULL;
}
