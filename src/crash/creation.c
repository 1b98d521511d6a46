/* SPDX-License-Identifier: GPL-2.0-or-later */
/* creation.c - see creation.h. */
#include "crash/creation.h"

#include <string.h>

#include "base/vec.h"
#include "finding/own.h"
#include "trace/symbols.h"

enum answer { UNASKED, YES, NO };

struct creation {
	char *dir;
	bool opened;
	struct trace *trace; /* NULL: not opened yet, or unreadable */
	struct symbols *symbols;
	VEC_OF(uint8_t) answers; /* by context: enum answer */
};

struct creation *creation_new(const char *dir)
{
	struct creation *c = mem_alloc(sizeof(*c));

	c->dir = strdup(dir);
	BUG_ON(!c->dir);
	return c;
}

void creation_free(struct creation *c)
{
	if (!c)
		return;
	if (c->trace)
		trace_close(c->trace);
	if (c->symbols)
		symbols_close(c->symbols);
	vec_free(&c->answers);
	free(c->dir);
	free(c);
}

/* Read on until the context is known.  A context that cannot be read counts as no create call. */
static bool context_read(struct creation *c, uint32_t context)
{
	struct event ev;
	struct err ignored;

	if (!c->opened) {
		c->opened = true;
		c->symbols = symbols_open(NULL);
		if (trace_open(&c->trace, c->dir, &ignored) < 0)
			c->trace = NULL;
	}
	while (c->trace && !trace_context(c->trace, context))
		if (trace_next(c->trace, &ev, &ignored) <= 0)
			return false;
	return c->trace;
}

static bool stack_creates(struct creation *c, uint32_t context)
{
	const struct symbols_frame *const *frames;
	size_t count = symbols_stack(c->symbols, c->trace, context, &frames);

	for (size_t i = 0; i < count; i++)
		if (own_creates(frames[i]->function))
			return true;
	return false;
}

bool creation_covers(struct creation *c, uint32_t context)
{
	if (!context)
		return false;
	while (c->answers.count <= context)
		vec_push(&c->answers, UNASKED);
	if (c->answers.at[context] == UNASKED)
		c->answers.at[context] = context_read(c, context) && stack_creates(c, context) ? YES : NO;
	return c->answers.at[context] == YES;
}
