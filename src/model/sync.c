/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Synchronization by system calls, the same on every platform (rule 7 of adr.c, rule 6 of eadr.c): everything pending
 * in the range is on media when the call returns, no matter how it was stored.  MS_ASYNC and sync_file_range promise
 * nothing. */
#include <sys/mman.h>

#include "model/steps.h"

#define FEW_PAGES 64u

/* A synchronization writes back, so a flush after it has nothing to do. */
static void line_synced(struct line *line, const struct event *ev, uint64_t offset)
{
	line->flushed = true;
	line->flushed_context = ev->context;
	line->flushed_thread = ev->thread;
	line->flushed_offset = offset & ~(uint64_t)(LINE_BYTES - 1);
	line->silent = 0;
}

/* Return false if the line has units that cannot be found from here: hidden ones that are not cached. */
static bool sync_line(struct model *model, const struct event *ev, struct line *line)
{
	persist_line(model, ev, line, UINT64_MAX);
	while (line->dirty && line->dirty->top)
		persist_node(model, ev, line->dirty->top);
	return !line->dirty;
}

static bool sync_page(struct model *model, const struct event *ev, uint32_t file, uint64_t offset)
{
	struct page *page = memory_find(&model->memory, file, offset);
	bool complete = true;

	if (page)
		page->written = 0;
	for (unsigned i = 0; page && page->lines && i < PAGE_LINES; i++) {
		struct line *line = &page->lines[i];

		if (line->dirty)
			complete &= sync_line(model, ev, line);
		if (line->stored_context)
			line_synced(line, ev, offset + i * LINE_BYTES);
	}
	return complete;
}

/* The words whose units start in the range. */
static unsigned node_words(const struct node *node, uint64_t from, uint64_t to)
{
	unsigned inside = 0;
	struct unit unit;

	for (unsigned words = words_of(node->bytes); words; words &= words - 1) {
		unit_place(&unit, node, word_first(words));
		if (unit.offset >= from && unit.offset < to)
			inside |= 1u << word_first(words);
	}
	return inside;
}

/* Check each pending unit. */
static void sync_pending(struct model *model, const struct event *ev, uint32_t file, uint64_t from, uint64_t to)
{
	struct node *node, *later;

	for (node = model->pending.all.first; node; node = later) {
		unsigned words = file && node->unit.file != file ? 0 : node_words(node, from, to);

		later = node->later;
		if (words) {
			line_synced(node->line, ev, node->unit.offset);
			persist_units(model, ev, node, words);
		}
	}
}

/* Synchronize a range of one file, or of all files if `file` is 0. */
void sync_range(struct model *model, const struct event *ev, uint32_t file, uint64_t from, uint64_t to)
{
	bool complete = file && to - from <= (uint64_t)FEW_PAGES * PAGE_BYTES;

	if (complete) {
		for (uint64_t offset = from; offset < to; offset += PAGE_BYTES)
			complete &= sync_page(model, ev, file, offset);
	}
	if (!complete)
		sync_pending(model, ev, file, from, to);
	persist_settle(model, ev);
}

void step_sync(struct model *model, const struct event *ev)
{
	if (ev->flags != BO_SYNC_SYNC_FILE_RANGE)
		sync_range(model, ev, ev->file, 0, UINT64_MAX);
}

void step_msync(struct model *model, const struct event *ev)
{
	uint64_t mask = ~(uint64_t)(PAGE_BYTES - 1);

	/* The kernel works on whole pages. */
	if (ev->file && ev->flags & MS_SYNC)
		sync_range(model, ev, ev->file, ev->offset & mask, (ev->offset + ev->size + PAGE_BYTES - 1) & mask);
}
