/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stores: cut into units, silent ones told from others.  Nearly all events of a trace come through here. */
#include <string.h>

#include "model/steps.h"

/* A byte of ones for each bit. */
static uint64_t spread(uint8_t mask)
{
	uint64_t bits = mask * 0x0101010101010101u & 0x8040201008040201u;

	return ((bits + 0x7f7f7f7f7f7f7f7fu) >> 7 & 0x0101010101010101u) * 0xff;
}

static inline uint64_t load(const uint8_t *bytes, unsigned size)
{
	uint64_t value = 0;

	/* Constant sizes are one instruction each. */
	switch (size) {
	case 8: memcpy(&value, bytes, 8); break;
	case 4: memcpy(&value, bytes, 4); break;
	case 2: memcpy(&value, bytes, 2); break;
	case 1: value = *bytes; break;
	default: memcpy(&value, bytes, size);
	}
	return value;
}

/* Will the older unit be certain no later than the new one?  Cached units of a line are covered together; so are all that a thread
 * stored directly, by its fence. */
static bool shares_fate(const struct unit *old, const struct unit *new)
{
	return old->kind == new->kind && (old->kind != UNIT_DIRECT || old->thread == new->thread);
}

/* The unit writes what is there.  If all that is there is certain, or will be certain no later than the unit, it changes nothing. */
static bool is_silent(const struct node *top, const struct unit *unit)
{
	for (; top; top = top->below) {
		if (top->visible & unit_mask(unit) && !shares_fate(&top->unit, unit))
			return false;
	}
	return true;
}

static void tell_overwritten(const struct model *model, const struct event *ev, const struct node *top,
			     uint64_t changes)
{
	if (!model->observer || !model->observer->overwrite || ev->type != EVENT_STORE)
		return;
	for (; top; top = top->below) {
		if (top->unit.kind != UNIT_WRITTEN && changes & spread(top->visible))
			model->observer->overwrite(model->arg, ev, &top->unit);
	}
}

/* A unit of `size` bytes takes effect, `within` its aligned word, which is at `word` in the page; false if it is silent.  Nearly all units
 * are whole words, for which the compiler can do most of this beforehand. */
static inline __attribute__((always_inline)) bool unit_apply(struct model *model, const struct event *ev, uint8_t *word,
							     struct line *line, struct unit *unit, unsigned within,
							     unsigned size, const uint8_t *data)
{
	uint64_t value = load(data, size), mask = UINT64_MAX >> (WORD_BYTES - size) * 8 << within * 8;
	uint64_t old = load(word, WORD_BYTES), changes = (old ^ value << within * 8) & mask;
	const struct node *top = line->dirty ? line->dirty->top[unit_word(unit)] : NULL;

	unit->size = (uint8_t)size;
	memcpy(unit->value, &value, sizeof(unit->value));
	if (!changes && is_silent(top, unit)) {
		line->silent += unit->kind == UNIT_CACHED;
		return false;
	}
	if (top) {
		if (changes)
			tell_overwritten(model, ev, top, changes);
		pending_hide(&model->pending, line, unit_word(unit), byte_mask(within, size),
			     model->depth == MODEL_VISIBLE);
	}
	model->changes++;
	old ^= changes;
	memcpy(word, &old, WORD_BYTES);
	return true;
}

/* A flush of what was written is not needed, but it is no mistake either: it is taken for one of a silent store. */
static void page_written(struct page *page, uint64_t offset, uint64_t size)
{
	uint64_t first = offset % PAGE_BYTES / LINE_BYTES, last = (offset + size - 1) % PAGE_BYTES / LINE_BYTES;

	page->written |= UINT64_MAX << first & UINT64_MAX >> (PAGE_LINES - 1 - last);
}

/* `size` bytes from unit->offset on, in one line. */
static void line_apply(struct model *model, const struct event *ev, struct unit *unit, const uint8_t *data,
		       unsigned size)
{
	struct page *page = memory_page(&model->memory, unit->file, unit->offset);
	struct line *line = page_line(page, unit->offset);

	if (ev->type == EVENT_STORE) {
		line->stored_offset = ev->offset;
		line->stored_size = ev->size < UINT32_MAX ? (uint32_t)ev->size : UINT32_MAX;
		line->stored_context = ev->context;
		line->flushed = false;
	} else {
		page_written(page, unit->offset, size);
	}
	while (size) {
		unsigned within = unit->offset % WORD_BYTES,
			 n = size < WORD_BYTES - within ? size : WORD_BYTES - within;
		uint8_t *word = page->bytes + unit->offset % PAGE_BYTES - within;

		if (n == WORD_BYTES ? unit_apply(model, ev, word, line, unit, 0, WORD_BYTES, data)
				    : unit_apply(model, ev, word, line, unit, within, n, data))
			pending_add(&model->pending, line, unit);
		unit->offset += n;
		data += n;
		size -= n;
	}
}

/* `size` bytes from `offset` on. */
static void range_apply(struct model *model, const struct event *ev, enum unit_kind kind, uint64_t offset,
			uint64_t size)
{
	const uint8_t *data = ev->data + (offset - ev->offset);
	struct unit unit = {
		.event = model->number,
		.offset = offset,
		.file = ev->file,
		.context = ev->context,
		.thread = ev->thread,
		.kind = (uint8_t)kind,
		.store = (uint8_t)ev->kind,
	};

	while (size) {
		uint64_t room = LINE_BYTES - unit.offset % LINE_BYTES, n = size < room ? size : room;

		line_apply(model, ev, &unit, data, (unsigned)n);
		data += n;
		size -= n;
	}
}

void step_store(struct model *model, const struct event *ev)
{
	enum unit_kind kind = ev->kind == BO_STORE_NONTEMPORAL ? UNIT_DIRECT : UNIT_CACHED;

	if (ev->kind == BO_STORE_LOCKED)
		step_fence(model, ev);
	if (!ev->file)
		return;
	model->stores++;
	/* In the last page of a mapping a store may lie beyond the file: it reaches nothing. */
	range_apply(model, ev, kind, ev->offset,
		    memory_clip(memory_file(&model->memory, ev->file), ev->offset, ev->size));
	if (model->platform->stored)
		model->platform->stored(model, ev);
}

/* What is written hides what was stored there.  Lines that were never stored to are not made for it. */
static void lines_hide(struct model *model, struct page *page, uint64_t offset, uint64_t end)
{
	while (page->lines && offset < end) {
		struct line *line = page_line(page, offset);
		unsigned within = offset % WORD_BYTES;
		uint64_t n = end - offset < WORD_BYTES - within ? end - offset : WORD_BYTES - within;

		pending_hide(&model->pending, line, offset % LINE_BYTES / WORD_BYTES, byte_mask(within, (unsigned)n),
			     true);
		offset += n;
	}
}

/* A part of what was written, in one page. */
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

/* Files are also made by writing all of them, so pages of zeros must cost nothing, and units are kept only where sets are asked for. */
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
