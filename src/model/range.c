/* SPDX-License-Identifier: GPL-2.0-or-later */
/* range.c - see range.h.
 *
 * Order.  The smallest crash state that has a set of pending units contains, besides them: on each of their lines the
 * cached units of earlier events, if they are cached; and all units that a CLFLUSH covered before the last of them was
 * stored.  That is the rule of choices.h, applied once: what it adds was stored earlier, so it demands nothing more. */
#include "model/range.h"

#include "model/platform.h"

/* The part of a range that is in one line. */
struct part {
	uint64_t line;             /* offset of the line */
	uint64_t bytes;            /* bit mask */
	const struct dirty *dirty; /* NULL: nothing is pending on the line */
};

/* The offset of the first line at or after `from` that has something pending; UINT64_MAX: there is none. */
static uint64_t next_pending(const struct model *model, uint32_t file, uint64_t from)
{
	uint64_t next = UINT64_MAX;

	for (const struct node *node = model->pending.all.first; node; node = node->later)
		if (node->unit.file == file && node->unit.offset >= from && node->unit.offset < next)
			next = node->unit.offset;
	return next;
}

/* Move on to the next part that may have something pending; PART_FIRST comes before the first.  False: there is none. */
static bool part_next(const struct model *model, const struct range *range, struct part *part)
{
	uint64_t end = range->size < UINT64_MAX - range->offset ? range->offset + range->size : UINT64_MAX;
	uint64_t from = part->line == UINT64_MAX ? range->offset : part->line + LINE_BYTES, to;
	const struct page *page;

	/* Files may have large holes. */
	if (from >= range->offset && from < end && !memory_find(&model->memory, range->file, from))
		from = next_pending(model, range->file, from);
	if (from >= end || from < range->offset)
		return false;
	part->line = from / LINE_BYTES * LINE_BYTES;
	to = end - part->line < LINE_BYTES ? end : part->line + LINE_BYTES;
	part->bytes = byte_mask((unsigned)(from - part->line), (unsigned)(to - from));
	page = memory_find(&model->memory, range->file, from);
	part->dirty = page->lines ? page->lines[from % PAGE_BYTES / LINE_BYTES].dirty : NULL;
	return true;
}

#define PART_FIRST ((struct part){.line = UINT64_MAX})

/* The next node that the program sees in this part, after `node`, or the first if that is NULL. */
static const struct node *part_node(const struct part *part, const struct node *node)
{
	if (!part->dirty)
		return NULL;
	for (node = node ? node->below : part->dirty->top; node; node = node->below)
		if (node->visible & part->bytes)
			return node;
	return NULL;
}

bool range_is_certain(const struct model *model, const struct range *range)
{
	struct part part = PART_FIRST;

	while (part_next(model, range, &part))
		if (part_node(&part, NULL))
			return false;
	return true;
}

/* The event of the last pending store to the range; 0: all of it is certain. */
static uint64_t latest_find(const struct model *model, const struct range *range)
{
	struct part part = PART_FIRST;
	uint64_t latest = 0;

	while (part_next(model, range, &part))
		for (const struct node *node = NULL; (node = part_node(&part, node));)
			latest = node->unit.event > latest ? node->unit.event : latest;
	return latest;
}

/* The bytes of a line that are in the range. */
static struct range range_in_line(const struct range *range, uint32_t file, uint64_t line)
{
	uint64_t from = range->offset > line ? range->offset : line;
	uint64_t end = range->size < UINT64_MAX - range->offset ? range->offset + range->size : UINT64_MAX;

	end = end - line < LINE_BYTES || end < line ? end : line + LINE_BYTES;
	return (struct range){file, from, range->file == file && from < end ? end - from : 0};
}

/* The event of the last cached store among those; 0: none. */
static uint64_t latest_cached(const struct model *model, const struct range *in_line)
{
	struct part part = PART_FIRST;
	uint64_t latest = 0;

	if (part_next(model, in_line, &part))
		for (const struct node *node = NULL; (node = part_node(&part, node));)
			if (node->unit.kind == UNIT_CACHED && node->unit.event > latest)
				latest = node->unit.event;
	return latest;
}

/* Are all words with these bytes of the node in `second`, at least with one byte that the program sees?  A unit is on
 * media as a whole, so they are there if `second` is. */
static bool has_units(const struct node *node, uint64_t bytes, uint64_t second)
{
	return !(words_of(node->visible & bytes) & ~words_of(node->visible & second));
}

static bool part_is_ordered(const struct model *model, const struct part *part, uint32_t file,
			    const struct range *second, uint64_t latest)
{
	struct range beside = range_in_line(second, file, part->line);
	uint64_t before = latest_cached(model, &beside);
	uint64_t taken = beside.size ? byte_mask((unsigned)(beside.offset - part->line), (unsigned)beside.size) : 0;

	for (const struct node *node = NULL; (node = part_node(part, node));) {
		bool demanded = (node->order && node->order->event < latest) ||
				(node->unit.kind == UNIT_CACHED && node->unit.event < before);

		if (!demanded && !has_units(node, part->bytes, taken))
			return false;
	}
	return true;
}

bool range_is_ordered(const struct model *model, const struct range *first, const struct range *second)
{
	uint64_t latest = latest_find(model, second);
	struct part part = PART_FIRST;

	while (part_next(model, first, &part))
		if (!part_is_ordered(model, &part, first->file, second, latest))
			return false;
	return true;
}

static const struct node *node_at(const struct part *part, unsigned byte)
{
	const struct node *node = NULL;

	while ((node = part_node(part, node)) && !(node->visible & part->bytes & 1ull << byte))
		;
	return node;
}

size_t range_pending(const struct model *model, const struct range *range, struct range_store *stores, size_t room)
{
	struct part part = PART_FIRST;
	const struct node *last = NULL; /* of the last piece, */
	uint64_t end = 0;               /* and where that ends */
	size_t count = 0;

	while (part_next(model, range, &part)) {
		for (unsigned i = 0; part.dirty && i < LINE_BYTES; i++) {
			const struct node *node = node_at(&part, i);

			if (!node)
				continue;
			bool goes_on = last && end == part.line + i && last->unit.event == node->unit.event &&
				       last->unit.cover == node->unit.cover;
			if (!goes_on && count < room)
				stores[count] = (struct range_store){.common = &node->unit, .offset = part.line + i};
			count += !goes_on;
			if (count <= room)
				stores[count - 1].size++;
			last = node;
			end = part.line + i + 1;
		}
	}
	return count;
}

uint64_t range_file_size(const struct model *model, uint32_t file)
{
	return file < model->memory.files.count && model->memory.files.at[file].known
		       ? model->memory.files.at[file].size
		       : 0;
}

size_t range_read(const struct model *model, const struct range *range, void *buffer)
{
	uint64_t size = range_file_size(model, range->file);
	size_t room = size > range->offset ? (size_t)(size - range->offset) : 0, done = 0, n;

	room = range->size < room ? (size_t)range->size : room;
	for (; done < room; done += n) {
		uint64_t at = range->offset + done;
		const struct page *page = memory_find(&model->memory, range->file, at);

		n = PAGE_BYTES - (size_t)(at % PAGE_BYTES);
		n = n < room - done ? n : room - done;
		if (page)
			memcpy((char *)buffer + done, page->bytes + at % PAGE_BYTES, n);
		else
			memset((char *)buffer + done, 0, n);
	}
	return room;
}

bool range_locate(const struct model *model, uint32_t process, uint64_t addr, uint32_t *file, uint64_t *offset)
{
	const struct mappings *m;
	size_t at;

	if (process >= model->mapped.processes.count)
		return false;
	m = &model->mapped.processes.at[process];
	at = mappings_seek(m, addr);
	if (at == m->list.count || addr < m->list.at[at].start)
		return false;
	*file = m->list.at[at].file;
	*offset = m->list.at[at].offset + (addr - m->list.at[at].start);
	return true;
}
