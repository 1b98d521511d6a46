/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dependencies.c - see dependencies.h. */
#include "trace/dependencies.h"

/* The place in PM is that of this moment: later, another file may be mapped at the address. */
static enum apply_result apply_read(struct stream *s, const struct record *r, const struct event *ev)
{
	uint64_t addr = r->number[0], size = r->number[1];
	const struct mapping *at = mappings_find(&s->mappings, addr);
	struct trace_read read = {.context = ev->context, .size = size};

	if (!size || !mappings_range_valid(addr, size))
		return apply_damage(s, "a read of an impossible range");
	if (at) {
		read.file = at->file;
		read.offset = at->offset + (addr - at->start);
		read.size = size < at->end - addr ? size : at->end - addr;
	}
	vec_push(&s->reads, defs_add_read(s->defs, &read));
	return APPLY_CONSUMED;
}

static enum apply_result apply_branch(struct stream *s, const struct record *r, const struct event *ev)
{
	uint64_t read = r->number[0];

	if (!read || read >= s->reads.count)
		return apply_damage_id(s, "read", read);
	defs_set_branch(s->defs, s->reads.at[read], ev->context);
	return APPLY_CONSUMED;
}

static enum apply_result apply_label(struct stream *s, const struct record *r)
{
	struct decoder list = decoder_at(r->string[0].at, r->string[0].size);
	uint64_t flags = r->number[0], count = r->number[1], read = 0, step;

	if (flags & ~(uint64_t)BO_LABEL_MANY)
		return apply_damage(s, "a label with unknown flags");
	defs_begin_label(s->defs, flags & BO_LABEL_MANY);
	for (uint64_t i = 0; i < count; i++, read += step) {
		if (!decode_number(&list, &step))
			return apply_damage(s, "a label that is incomplete");
		if (!step || step >= s->reads.count - read)
			return apply_damage_id(s, "read", read + step);
		defs_add_to_label(s->defs, s->reads.at[read + step]);
	}
	if (list.next != list.end)
		return apply_damage(s, "a label with more reads than it says");
	vec_push(&s->labels, (uint32_t)s->defs->labels.count);
	return APPLY_CONSUMED;
}

static enum apply_result apply_depends(struct stream *s, const struct record *r)
{
	for (unsigned i = 0; i < 2; i++)
		if (r->number[i] >= s->labels.count)
			return apply_damage_id(s, "label", r->number[i]);
	s->depends = (struct stream_depends){.thread = s->thread,
					     .data_label = s->labels.at[r->number[0]],
					     .control_label = s->labels.at[r->number[1]]};
	return APPLY_CONSUMED;
}

enum apply_result dependencies_apply(struct stream *s, const struct record *r, const struct event *ev)
{
	switch (r->op) {
	case BO_OP_DEF_READ: return apply_read(s, r, ev);
	case BO_OP_DEF_BRANCH: return apply_branch(s, r, ev);
	case BO_OP_DEF_LABEL: return apply_label(s, r);
	default: return apply_depends(s, r);
	}
}
