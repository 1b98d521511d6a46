/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stores: cut them into units and detect silent ones.  Nearly all events of a trace come through here. */
#include <string.h>

#include "model/steps.h"

static inline uint64_t load_word(const uint8_t *bytes)
{
	uint64_t value;

	memcpy(&value, bytes, sizeof(value));
	return value;
}

static inline uint64_t load_half(const uint8_t *bytes)
{
	uint32_t value;

	memcpy(&value, bytes, sizeof(value));
	return value;
}

/* Load fewer bytes than a word, without reading beyond them. */
static inline uint64_t load_part(const uint8_t *bytes, unsigned size)
{
	unsigned middle = size / 2;

	if (size >= 4)
		return load_half(bytes) | load_half(bytes + size - 4) << (size - 4) * 8;
	return bytes[0] | (uint64_t)bytes[middle] << middle * 8 | (uint64_t)bytes[size - 1] << (size - 1) * 8;
}

/* Will the older unit become certain no later than the new one?  Cached units of a line are covered together; a fence
 * covers all non-temporal units of its thread. */
static bool shares_fate(const struct node *old, const struct event *ev, enum unit_kind kind)
{
	return old->unit.kind == kind && (kind != UNIT_DIRECT || old->unit.thread == ev->thread);
}

/* The unit writes the bytes that are already there (`mask`).  It changes nothing if all these bytes are certain, or
 * will be certain no later than the unit. */
static bool is_silent(const struct dirty *dirty, const struct event *ev, enum unit_kind kind, uint64_t mask)
{
	if (!dirty || !(dirty->visible & mask))
		return true;
	for (const struct node *top = dirty->top; top; top = top->below) {
		if (top->visible & mask && !shares_fate(top, ev, kind))
			return false;
	}
	return true;
}

/* The event changes these bytes, all in one word. */
static void overwritten_report(const struct model *model, const struct event *ev, const struct dirty *dirty,
			       unsigned word, uint64_t changes)
{
	struct unit unit;

	if (!model->observer || !model->observer->overwrite || ev->type != EVENT_STORE)
		return;
	for (const struct node *top = dirty->top; top; top = top->below) {
		if (top->unit.kind == UNIT_WRITTEN || !(top->visible & changes))
			continue;
		unit = top->unit;
		unit_place(&unit, top, word);
		model->observer->overwrite(model->arg, ev, &unit);
	}
}

static __attribute__((noinline)) void word_overwrite(struct model *model, const struct event *ev, struct line *line,
						     unsigned word, uint64_t mask, uint64_t changes)
{
	if (changes)
		overwritten_report(model, ev, line->dirty, word, (uint64_t)octets_of(changes) << word * WORD_BYTES);
	pending_hide(&model->pending, line, mask, model->depth == MODEL_VISIBLE);
}

/* Apply a unit of `size` bytes, at byte `within` of word `word` of the line, which is at `at` in the page.  Return the
 * bytes of the line that become pending because of it: none if it is silent.  Nearly all units are whole words on lines
 * without conflicting units (`clear`), for which the compiler can precompute most of this. */
static inline __attribute__((always_inline)) uint64_t unit_apply(struct model *model, const struct event *ev,
								 enum unit_kind kind, uint8_t *at, struct line *line,
								 unsigned word, unsigned within, unsigned size,
								 uint64_t value, bool clear)
{
	uint64_t bytes = byte_mask(within, size) << word * WORD_BYTES;
	uint64_t mask = UINT64_MAX >> (WORD_BYTES - size) * 8 << within * 8;
	uint64_t old = load_word(at), changes = (old ^ value << within * 8) & mask;

	if (!changes && (clear || is_silent(line->dirty, ev, kind, bytes))) {
		line->silent += kind == UNIT_CACHED;
		return 0;
	}
	if (!clear && line->dirty && line->dirty->visible & bytes)
		word_overwrite(model, ev, line, word, bytes, changes);
	old ^= changes;
	memcpy(at, &old, WORD_BYTES);
	return bytes;
}

/* The part of a store that is pending on one line. */
struct left {
	uint64_t bytes;
	unsigned units;
};

static inline __attribute__((always_inline)) struct left units_apply(struct model *model, const struct event *ev,
								     enum unit_kind kind, uint8_t *content,
								     struct line *line, unsigned from, unsigned end,
								     const uint8_t *data, bool clear)
{
	struct left left = {0};

	while (from < end) {
		unsigned within = from % WORD_BYTES, word = from / WORD_BYTES;
		unsigned n = end - from < WORD_BYTES - within ? end - from : WORD_BYTES - within;
		uint8_t *at = content + word * WORD_BYTES;
		uint64_t bytes =
			n == WORD_BYTES
				? unit_apply(model, ev, kind, at, line, word, 0, WORD_BYTES, load_word(data), clear)
				: unit_apply(model, ev, kind, at, line, word, within, n, load_part(data, n), clear);

		left.bytes |= bytes;
		left.units += bytes != 0;
		from += n;
		data += n;
	}
	return left;
}

static __attribute__((noinline)) struct left units_apply_over(struct model *model, const struct event *ev,
							      enum unit_kind kind, uint8_t *content, struct line *line,
							      unsigned from, unsigned end, const uint8_t *data)
{
	return units_apply(model, ev, kind, content, line, from, end, data, false);
}

/* Flushing data written by a system call is unnecessary, but not a mistake.  It is treated like flushing a silent
 * store. */
static void page_written(struct page *page, uint64_t offset, uint64_t size)
{
	uint64_t first = offset % PAGE_BYTES / LINE_BYTES, last = (offset + size - 1) % PAGE_BYTES / LINE_BYTES;

	page->written |= UINT64_MAX << first & UINT64_MAX >> (PAGE_LINES - 1 - last);
}

static inline void line_stored(struct line *line, const struct event *ev)
{
	line->stored_offset = ev->offset;
	line->stored_size = ev->size < UINT32_MAX ? (uint32_t)ev->size : UINT32_MAX;
	line->stored_context = ev->context;
	line->flushed = false;
}

/* Apply `size` bytes from `offset` on, all in one line. */
static void line_apply(struct model *model, const struct event *ev, enum unit_kind kind, uint64_t offset,
		       const uint8_t *data, unsigned size)
{
	struct page *page = memory_page(&model->memory, ev->file, offset);
	struct line *line = page_line(page, offset);
	unsigned from = offset % LINE_BYTES;
	uint8_t *content = page->bytes + offset % PAGE_BYTES - from;
	struct left left;

	if (ev->type == EVENT_STORE)
		line_stored(line, ev);
	else
		page_written(page, offset, size);
	if (line->dirty && line->dirty->visible & byte_mask(from, size))
		left = units_apply_over(model, ev, kind, content, line, from, from + size, data);
	else
		left = units_apply(model, ev, kind, content, line, from, from + size, data, true);
	if (!left.units)
		return;
	model->changes += left.units;
	pending_add(&model->pending, line, ev, model->number, kind, offset - from, content, left.bytes, left.units);
}

/* Apply `size` bytes from `offset` on. */
static void range_apply(struct model *model, const struct event *ev, enum unit_kind kind, uint64_t offset,
			uint64_t size)
{
	const uint8_t *data = ev->data + (offset - ev->offset);
	uint64_t room = LINE_BYTES - offset % LINE_BYTES;

	for (; size > room; room = LINE_BYTES) {
		line_apply(model, ev, kind, offset, data, (unsigned)room);
		offset += room;
		data += room;
		size -= room;
	}
	if (size)
		line_apply(model, ev, kind, offset, data, (unsigned)size);
}

void step_store(struct model *model, const struct event *ev)
{
	enum unit_kind kind = ev->kind == BO_STORE_NONTEMPORAL ? UNIT_DIRECT : UNIT_CACHED;

	if (ev->kind == BO_STORE_LOCKED)
		step_fence(model, ev);
	if (!ev->file)
		return;
	model->stores++;
	/* In the last page of a mapping a store may be beyond the end of the file; then it has no effect. */
	range_apply(model, ev, kind, ev->offset,
		    memory_clip(memory_file(&model->memory, ev->file), ev->offset, ev->size));
	if (model->platform->stored)
		model->platform->stored(model, ev);
}

/* Written data hides what was stored there.  Lines that were never stored to are not created for this. */
static void lines_hide(struct model *model, struct page *page, uint64_t offset, uint64_t end)
{
	while (page->lines && offset < end) {
		unsigned within = offset % LINE_BYTES;
		uint64_t n = end - offset < LINE_BYTES - within ? end - offset : LINE_BYTES - within;

		pending_hide(&model->pending, page_line(page, offset), byte_mask(within, (unsigned)n), true);
		offset += n;
	}
}

/* Apply the part of a write that is in one page. */
static void page_write(struct model *model, const struct event *ev, uint64_t offset, uint64_t size)
{
	const uint8_t *data = ev->data + (offset - ev->offset);
	struct page *page = memory_find(&model->memory, ev->file, offset);

	if (model->depth == MODEL_STATES && (page || !memory_is_zero(data, size))) {
		range_apply(model, ev, UNIT_WRITTEN, offset, size);
		return;
	}
	if (page)
		lines_hide(model, page, offset, offset + size);
	memory_put(&model->memory, ev->file, offset, data, size);
	page = memory_find(&model->memory, ev->file, offset);
	if (page)
		page_written(page, offset, size);
}

/* Files are also created by writing them completely.  So pages of zeros must cost nothing, and units are kept only if
 * sets are needed. */
void step_write(struct model *model, const struct event *ev)
{
	struct pm_file *file = memory_file(&model->memory, ev->file);
	uint64_t offset = ev->offset, end = ev->offset + ev->size;

	if (ev->size > INT64_MAX || ev->offset > INT64_MAX - ev->size)
		return;
	if (ev->size && file->size < end) {
		file->size = end;
		model->changes++;
	}
	while (offset < end) {
		uint64_t room = PAGE_BYTES - offset % PAGE_BYTES, n = end - offset < room ? end - offset : room;

		page_write(model, ev, offset, n);
		offset += n;
	}
}
