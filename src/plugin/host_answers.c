/* SPDX-License-Identifier: GPL-2.0-or-later */
/* host_answers.c - what a plug-in may ask and report; see blackout/oracle.h.  Arguments may be anything. */
#include <string.h>
#include <xxhash.h>

#include "model/range.h"
#include "plugin/host_in.h"

static struct host *host_of(struct blackout *b)
{
	return (struct host *)b;
}

/* ---- reports ---- */

static struct wire_report *report_find(struct host *h, const struct wire_report *key, uint64_t **slot)
{
	XXH128_hash_t hash = XXH3_128bits(key, sizeof(*key));

	*slot = map_put(&h->reports, hash.low64, hash.high64);
	return (struct wire_report *)(uintptr_t) * *slot;
}

static void on_report(struct blackout *b, const struct blackout_report *r)
{
	struct host *h = host_of(b);
	struct wire_report wire = {.kind = r->kind, .place = r->place}, *known;
	const char *const texts[] = {r->message, r->fix};
	uint64_t *slot;

	wire.related_count = r->related_count < BLACKOUT_RELATED_MAX ? r->related_count : BLACKOUT_RELATED_MAX;
	for (uint32_t i = 0; i < wire.related_count; i++) {
		wire.related[i].role = r->related[i].role;
		wire.related[i].place = r->related[i].place;
	}
	known = report_find(h, &wire, &slot);
	if (known) {
		known->count++;
		return;
	}
	wire.count = 1;
	wire.event = h->number;
	wire.file = r->file;
	wire.offset = r->offset;
	wire.size = r->size;
	known = wire_put(h->wire, WIRE_REPORT, &wire, sizeof(wire), texts, 2);
	*slot = (uint64_t)(uintptr_t)known;
	h->wire->dropped += !known;
}

/* ---- what is on media ---- */

static int on_certain(struct blackout *b, uint32_t file, uint64_t offset, uint64_t size)
{
	return range_is_certain(host_of(b)->model, &(struct range){file, offset, size});
}

static uint32_t pending_why(const struct unit *unit)
{
	if (unit->kind == UNIT_WRITTEN)
		return BLACKOUT_NOT_SYNCED;
	if (unit->kind == UNIT_DIRECT || unit->cover == UNIT_FLUSHED)
		return BLACKOUT_NOT_FENCED;
	return unit->cover == UNIT_ORDERED ? BLACKOUT_NOT_DONE : BLACKOUT_NOT_FLUSHED;
}

static size_t on_pending(struct blackout *b, uint32_t file, uint64_t offset, uint64_t size,
			 struct blackout_store *stores, size_t room)
{
	struct range range = {file, offset, size};
	struct model *model = host_of(b)->model;
	size_t count = range_pending(model, &range, NULL, 0);
	struct range_store *found = mem_alloc((count + 1) * sizeof(*found));

	range_pending(model, &range, found, count);
	for (size_t i = 0; i < count && i < room; i++)
		stores[i] = (struct blackout_store){
			.number = found[i].common->event,
			.offset = found[i].offset,
			.size = found[i].size,
			.place = found[i].common->context,
			.thread = found[i].common->thread,
			.why = pending_why(found[i].common),
		};
	free(found);
	return count;
}

static int on_ordered(struct blackout *b, const struct blackout_range *first, const struct blackout_range *second)
{
	struct range ranges[] = {{first->file, first->offset, first->size},
				 {second->file, second->offset, second->size}};

	return range_is_ordered(host_of(b)->model, &ranges[0], &ranges[1]);
}

static size_t on_read(struct blackout *b, uint32_t file, uint64_t offset, void *buffer, size_t size)
{
	return range_read(host_of(b)->model, &(struct range){file, offset, size}, buffer);
}

static int on_locate(struct blackout *b, uint32_t process, uint64_t address, uint32_t *file, uint64_t *offset)
{
	return range_locate(host_of(b)->model, process, address, file, offset);
}

/* ---- names ---- */

static const char *on_file_path(struct blackout *b, uint32_t id)
{
	const struct trace_file *file = trace_file(host_of(b)->trace, id);

	return file ? file->path : NULL;
}

static uint64_t on_file_size(struct blackout *b, uint32_t file)
{
	return range_file_size(host_of(b)->model, file);
}

static struct symbols *symbols_of(struct host *h)
{
	if (!h->symbols)
		h->symbols = symbols_open(NULL);
	return h->symbols;
}

static size_t on_stack(struct blackout *b, uint32_t place, struct blackout_frame *frames, size_t room)
{
	struct host *h = host_of(b);
	const struct symbols_frame *const *found;
	size_t count;

	if (!trace_context(h->trace, place))
		return 0;
	count = symbols_stack(symbols_of(h), h->trace, place, &found);
	for (size_t i = 0; i < count && i < room; i++)
		frames[i] = (struct blackout_frame){
			.function = found[i]->function,
			.file = found[i]->file,
			.path = found[i]->path,
			.line = found[i]->line,
			.module = found[i]->module,
			.module_offset = found[i]->offset,
		};
	return count;
}

/* Looked up once for each place: that takes a while. */
static const struct variable *variable_of(struct host *h, uint32_t place)
{
	uint64_t *slot = map_put(&h->variables, place, 0);

	if (!*slot) {
		struct variable *new = mem_alloc(sizeof(*new));

		if (!variable_find(symbols_of(h), h->trace, place, 0, 0, &h->texts, new))
			*new = (struct variable){0};
		*slot = (uint64_t)(uintptr_t) new;
	}
	return (const struct variable *)(uintptr_t)*slot;
}

static int on_variable(struct blackout *b, uint32_t place, struct blackout_variable *variable)
{
	struct host *h = host_of(b);
	const struct variable *found;

	if (!trace_context(h->trace, place))
		return 0;
	found = variable_of(h, place);
	*variable = (struct blackout_variable){found->text, found->type, found->offset, found->size};
	return found->text != NULL;
}

void host_answers(struct host *h)
{
	h->b.report = on_report;
	h->b.certain = on_certain;
	h->b.pending = on_pending;
	h->b.ordered = on_ordered;
	h->b.read = on_read;
	h->b.locate = on_locate;
	h->b.file_path = on_file_path;
	h->b.file_size = on_file_size;
	h->b.stack = on_stack;
	h->b.variable = on_variable;
}
