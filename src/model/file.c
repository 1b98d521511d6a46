/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Changes of the files themselves.  Sizes, names, and contents at mapping time are taken to be on media at once,
 * because file systems journal them.  Bytes that are cut off, or replaced by zeros, are no longer pending. */
#include <linux/falloc.h>
#include <string.h>

#include "model/steps.h"

#define SIZE_LIMIT ((uint64_t)INT64_MAX)

#ifndef FALLOC_FL_WRITE_ZEROES
#define FALLOC_FL_WRITE_ZEROES 0x80 /* newer than many headers */
#endif

void step_content(struct model *model, const struct event *ev)
{
	const struct pm_file *file = memory_file(&model->memory, ev->file);

	model->changes++;
	memory_put(&model->memory, ev->file, ev->offset, ev->data, memory_clip(file, ev->offset, ev->size));
}

/* The bytes `zero` of a unit are now zero for certain: remove them from the unit. */
static void unit_zero(struct model *model, struct node *node, unsigned word, uint64_t zero)
{
	uint64_t bytes = node->bytes & words_mask(1u << word), rest = bytes & ~zero;
	uint64_t gaps = rest >> __builtin_ctzll(rest ? rest : 1);

	if (!rest) {
		pending_remove_units(&model->pending, node, 1u << word);
		return;
	}
	pending_uncover(node, zero);
	for (unsigned i = 0; i < LINE_BYTES; i++) {
		if (zero >> i & 1)
			node->value[i] = 0;
	}
	if (!(gaps & (gaps + 1))) /* otherwise it stays one unit, with zeros in it */
		node->bytes &= ~zero;
}

/* Zero the bytes [from, to) of the file; some of them are in the node's line. */
static void node_zero(struct model *model, struct node *node, uint64_t from, uint64_t to)
{
	uint64_t end = node->unit.offset + LINE_BYTES, zero;

	from = from > node->unit.offset ? from : node->unit.offset;
	to = to < end ? to : end;
	zero = byte_mask((unsigned)(from - node->unit.offset), (unsigned)(to - from)) & node->bytes;
	for (unsigned words = words_of(zero); words; words &= words - 1)
		unit_zero(model, node, word_first(words), zero & words_mask(words & -words));
}

static void range_zero(struct model *model, uint32_t file, uint64_t from, uint64_t to)
{
	struct node *node, *later;

	for (node = model->pending.all.first; node; node = later) {
		later = node->later;
		if (node->unit.file == file && node->unit.offset < to && node->unit.offset + LINE_BYTES > from)
			node_zero(model, node, from, to);
	}
	memory_put(&model->memory, file, from, NULL, to - from);
}

static void file_resize(struct model *model, uint32_t file, uint64_t size)
{
	struct pm_file *f = memory_file(&model->memory, file);

	if (!f->known || size < f->size)
		range_zero(model, file, size, SIZE_LIMIT);
	model->changes += !f->known || f->size != size;
	f->known = true;
	f->size = size;
}

/* The file is announced, perhaps again because another process maps it independently.  Its pending units stay pending,
 * no matter what the file holds now. */
void step_file(struct model *model, const struct event *ev)
{
	model->changes++;
	file_resize(model, ev->file, ev->size);
	memory_file(&model->memory, ev->file)->unlinked = false;
	memory_put(&model->memory, ev->file, 0, NULL, SIZE_LIMIT);
}

void step_truncate(struct model *model, const struct event *ev)
{
	file_resize(model, ev->file, ev->size);
}

/* The kernel writes back these bytes before it moves them. */
static void file_shift(struct model *model, const struct event *ev, uint64_t from, uint64_t to)
{
	sync_range(model, ev, ev->file, from < to ? from : to, UINT64_MAX);
	memory_shift(&model->memory, ev->file, from, to);
}

/* The kernel refuses to remove or insert a range that is not inside the file. */
void step_allocate(struct model *model, const struct event *ev)
{
	struct pm_file *file = memory_file(&model->memory, ev->file);
	uint64_t end = ev->offset + ev->size, left = ev->offset < file->size ? file->size - ev->offset : 0;

	model->changes++;
	if (ev->offset > SIZE_LIMIT || ev->size > SIZE_LIMIT - ev->offset)
		return;
	if (ev->flags & FALLOC_FL_COLLAPSE_RANGE) {
		if (ev->size < left) {
			file_shift(model, ev, end, ev->offset);
			file->size -= ev->size;
		}
		return;
	}
	if (ev->flags & FALLOC_FL_INSERT_RANGE) {
		if (left && ev->size <= SIZE_LIMIT - file->size) {
			file_shift(model, ev, ev->offset, end);
			file->size += ev->size;
		}
		return;
	}
	if (ev->flags & (FALLOC_FL_PUNCH_HOLE | FALLOC_FL_ZERO_RANGE | FALLOC_FL_WRITE_ZEROES))
		range_zero(model, ev->file, ev->offset, end);
	if (!(ev->flags & (FALLOC_FL_KEEP_SIZE | FALLOC_FL_PUNCH_HOLE)) && file->known && file->size < end)
		file->size = end;
}

void step_unlink(struct model *model, const struct event *ev)
{
	model->changes++;
	if (!ev->flags) /* the number of links left */
		memory_file(&model->memory, ev->file)->unlinked = true;
}
