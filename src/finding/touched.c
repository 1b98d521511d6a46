/* SPDX-License-Identifier: GPL-2.0-or-later */
/* touched.c - see touched.h.  There is one bit for each 8-byte word, in blocks that are allocated when first
 * touched. */
#include "finding/touched.h"

#include "base/map.h"
#include "finding/own.h"

#define WORD_BYTES 8u
#define BLOCK_WORDS 4096u

struct block {
	uint64_t bits[BLOCK_WORDS / 64];
};

struct touched {
	struct map blocks; /* from (file, block) to a struct block * */
	struct map users;  /* from a context to USER or LIBRARY */
};

enum { USER = 1, LIBRARY };

static void touched_mark(struct touched *t, uint32_t file, uint64_t word)
{
	uint64_t *found = map_put(&t->blocks, file, word / BLOCK_WORDS);

	if (!*found)
		*found = (uintptr_t)mem_alloc(sizeof(struct block));
	struct block *block = (struct block *)(uintptr_t)*found;
	block->bits[word % BLOCK_WORDS / 64] |= 1ull << word % 64;
}

static bool context_is_user(struct touched *t, struct stacks *stacks, uint32_t context)
{
	uint64_t *known = map_put(&t->users, context, 0);

	if (!*known) {
		struct finding_stack stack = stacks_view(stacks, context);

		*known = own_library(&stack) < stack.count ? LIBRARY : USER;
	}
	return *known == USER;
}

static void touched_event(struct touched *t, struct stacks *stacks, const struct event *ev)
{
	if ((ev->type != EVENT_STORE && ev->type != EVENT_FILE_WRITE) || !ev->file || !ev->size ||
	    !context_is_user(t, stacks, ev->context))
		return;
	for (uint64_t word = ev->offset / WORD_BYTES; word <= (ev->offset + ev->size - 1) / WORD_BYTES; word++)
		touched_mark(t, ev->file, word);
}

struct touched *touched_read(const char *dir, const struct stacks *like, struct err *err)
{
	struct trace *trace;
	struct event ev;
	int r;

	if (trace_open(&trace, dir, err) < 0)
		return NULL;
	struct stacks stacks = {.findings = like->findings,
				.trace = trace,
				.symbols = like->symbols,
				.options = like->options};
	struct touched *t = mem_alloc(sizeof(*t));
	while ((r = trace_next(trace, &ev, err)) > 0)
		touched_event(t, &stacks, &ev);
	stacks_free(&stacks);
	trace_close(trace);
	if (r < 0) {
		touched_free(t);
		return NULL;
	}
	return t;
}

void touched_free(struct touched *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->blocks.room; i++)
		if (t->blocks.entries[i].used)
			free((void *)(uintptr_t)t->blocks.entries[i].value);
	map_free(&t->blocks);
	map_free(&t->users);
	free(t);
}

bool touched_has(const struct touched *t, uint32_t file, uint64_t offset, uint64_t size)
{
	for (uint64_t word = offset / WORD_BYTES; size && word <= (offset + size - 1) / WORD_BYTES; word++) {
		const uint64_t *found = map_get(&t->blocks, file, word / BLOCK_WORDS);

		if (found && ((const struct block *)(uintptr_t)*found)->bits[word % BLOCK_WORDS / 64] >> word % 64 & 1)
			return true;
	}
	return false;
}
