/* SPDX-License-Identifier: GPL-2.0-or-later */
/* history.c - see history.h. */
#include "finding/history.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/line.h"
#include "base/map.h"
#include "finding/stacks.h"
#include "model/model.h"
#include "trace/ahead.h"
#include "trace/op.h"

/* A kept event, before its texts are made: most of them are dropped from the ring again. */
struct kept {
	uint64_t number;
	enum op op;
	uint32_t thread, context;
	uint32_t line_offset, size;
	uint8_t value[8];
	uint8_t dirty, awaiting, ordered;
};

/* The line of one finding. */
struct watch {
	struct finding *finding;
	uint32_t file;
	uint64_t line;
	struct model *model;
	struct kept ring[HISTORY_BEFORE]; /* events before the example; a new one overwrites the oldest */
	size_t ring_count;
	VEC_OF(struct kept) rest; /* the example and later events */
	bool done;
	int next; /* index of the next watch of this line, -1: none */
};

struct history {
	struct findings *findings;
	VEC_OF(struct watch) watches;
	struct map lines; /* from (file, line) to 1 + index of the first watch */
	struct stacks stacks;
	struct map where; /* from a context to its text */
	size_t open;      /* watches that are not done */
	uint64_t reach;   /* reading stops after this event */
};

/* ---- watching ---- */

/* Something is missing in these findings, possibly until the end of the program.  The drawing must show that. */
static bool is_leftover(enum finding_kind kind)
{
	return kind == KIND_MISSING_FLUSH || kind == KIND_MISSING_FENCE || kind == KIND_TRANSIENT_DATA;
}

static void history_watch(struct history *h, struct finding *finding)
{
	uint64_t line = finding->first.offset & ~(uint64_t)(LINE_BYTES - 1);
	const struct platform *platform = platform_find(finding->platforms[0]);
	uint64_t *first = map_put(&h->lines, finding->first.file, line);

	BUG_ON(!platform);
	vec_push(&h->watches, ((struct watch){.finding = finding,
					      .file = finding->first.file,
					      .line = line,
					      .model = model_new(platform, MODEL_VISIBLE, NULL, NULL),
					      .next = (int)*first - 1}));
	*first = h->watches.count;
	h->open++;
	finding->line_start = line;
	if (finding->first.event + HISTORY_REACH > h->reach)
		h->reach = finding->first.event + HISTORY_REACH;
	if (is_leftover(finding->kind))
		h->reach = UINT64_MAX;
}

static void history_start(struct history *h)
{
	for (size_t i = 0; i < h->findings->count && h->watches.count < HISTORY_FINDINGS; i++) {
		struct finding *finding = &h->findings->at[i];

		if (finding->first.file && finding->platform_count)
			history_watch(h, finding);
	}
}

static void watch_states(struct watch *w, struct kept *kept)
{
	size_t count;
	const struct unit *const *units = model_pending(w->model, &count);

	for (size_t i = 0; i < count; i++) {
		uint8_t word = (uint8_t)(1u << ((units[i]->offset - w->line) / 8 & 7));

		if (units[i]->kind != UNIT_CACHED || units[i]->cover == UNIT_FLUSHED)
			kept->awaiting |= word;
		else if (units[i]->cover == UNIT_ORDERED)
			kept->ordered |= word;
		else
			kept->dirty |= word;
	}
}

static void watch_keep(struct history *h, struct watch *w, const struct event *ev, uint64_t number)
{
	struct kept kept = {.number = number, .op = op_of(ev), .thread = ev->thread, .context = ev->context};

	if (ev->type == EVENT_STORE || ev->type == EVENT_FILE_WRITE) {
		kept.line_offset = (uint32_t)(ev->offset - w->line);
		kept.size = (uint32_t)ev->size;
		memcpy(kept.value, ev->data, ev->size < 8 ? ev->size : 8);
	} else if (ev->file && op_group(kept.op) == OP_FLUSHES) {
		kept.line_offset = (uint32_t)(ev->offset - w->line);
	}
	watch_states(w, &kept);
	if (number < w->finding->first.event) {
		w->ring[w->ring_count++ % HISTORY_BEFORE] = kept;
		return;
	}
	vec_push(&w->rest, kept);
	if (w->rest.count > HISTORY_AFTER) {
		w->done = true;
		h->open--;
	}
}

/* ---- events ---- */

/* Clips an event with data to the line; false if no part of it is in the line. */
static bool event_clip(const struct event *ev, const struct watch *w, struct event *clipped)
{
	uint64_t end = ev->offset + ev->size;
	uint64_t from = ev->offset > w->line ? ev->offset : w->line;
	uint64_t to = end < w->line + LINE_BYTES ? end : w->line + LINE_BYTES;

	if (ev->file != w->file || from >= to)
		return false;
	*clipped = *ev;
	clipped->offset = from;
	clipped->addr += from - ev->offset;
	clipped->size = to - from;
	clipped->data += from - ev->offset;
	return true;
}

/* Handles fences, syncs and unmapping, which matter only to a line with pending stores. */
static void watch_complete(struct history *h, struct watch *w, const struct event *ev, uint64_t number)
{
	size_t before = model_pending_count(w->model);
	bool ends = ev->type == EVENT_EXIT || (ev->type == EVENT_UNMAP && ev->file == w->file);

	if (!before && op_group(op_of(ev)) != OP_FILES)
		return;
	model_apply(w->model, ev);
	if (before && (model_pending_count(w->model) != before || ends))
		watch_keep(h, w, ev, number);
}

static void history_all(struct history *h, const struct event *ev, uint64_t number)
{
	for (size_t i = 0; i < h->watches.count; i++) {
		struct watch *w = &h->watches.at[i];
		struct event clipped;

		if (w->done)
			continue;
		if (ev->type == EVENT_CONTENT || ev->type == EVENT_FILE_WRITE) {
			if (!event_clip(ev, w, &clipped))
				continue;
			model_apply(w->model, &clipped);
			if (ev->type == EVENT_FILE_WRITE)
				watch_keep(h, w, &clipped, number);
			continue;
		}
		watch_complete(h, w, ev, number);
		/* A fence that is itself the finding is kept even if it completes nothing. */
		if (number == w->finding->first.event &&
		    (!w->rest.count || w->rest.at[w->rest.count - 1].number != number))
			watch_keep(h, w, ev, number);
	}
}

static void watch_line(struct history *h, struct watch *w, const struct event *ev, uint64_t number)
{
	struct event clipped = *ev;

	if (ev->type == EVENT_STORE && !event_clip(ev, w, &clipped))
		return;
	model_apply(w->model, &clipped);
	watch_keep(h, w, &clipped, number);
}

/* Passes stores and flushes to the lines that they touch. */
static void history_lines(struct history *h, const struct event *ev, uint64_t number)
{
	uint64_t line = ev->offset & ~(uint64_t)(LINE_BYTES - 1);
	uint64_t end = ev->type == EVENT_STORE && ev->size ? ev->offset + ev->size : ev->offset + 1;

	for (; ev->file && line < end; line += LINE_BYTES) {
		const uint64_t *first = map_get(&h->lines, ev->file, line);

		for (int i = first ? (int)*first - 1 : -1; i >= 0; i = h->watches.at[i].next)
			if (!h->watches.at[i].done)
				watch_line(h, &h->watches.at[i], ev, number);
	}
}

static void history_event(struct history *h, const struct event *ev, uint64_t number)
{
	switch (ev->type) {
	case EVENT_STORE:
		if (ev->kind == BO_STORE_LOCKED) { /* it is a fence too, and takes effect as a fence first */
			struct event fence = *ev;

			fence.type = EVENT_LOCKED;
			history_all(h, &fence, number);
		}
		history_lines(h, ev, number);
		return;
	case EVENT_CLFLUSH:
	case EVENT_CLFLUSHOPT:
	case EVENT_CLWB: history_lines(h, ev, number); return;
	case EVENT_LOAD:
	case EVENT_CODE_HASH: return;
	default: history_all(h, ev, number);
	}
}

static int history_read(struct history *h, struct trace *trace, struct err *err)
{
	struct ahead *ahead = ahead_start(trace, h->open > 0);
	const struct event *ev;
	uint64_t number = 0;
	int more = 0;

	while (h->open && number < h->reach && (more = ahead_next(ahead, &ev, err)) > 0)
		history_event(h, ev, ++number);
	ahead_stop(ahead);
	return more < 0 ? -1 : 0;
}

/* ---- texts ---- */

static const char *history_where(struct history *h, uint32_t context)
{
	uint64_t *found = map_put(&h->where, context, 0);

	if (!*found) {
		struct finding_stack stack = stacks_view(&h->stacks, context);
		char text[1024];

		frame_text(stack_location(&stack), text, sizeof(text));
		*found = (uintptr_t)findings_text(h->findings, text);
	}
	return (const char *)(uintptr_t)*found;
}

static const char *history_value(struct history *h, const struct kept *kept)
{
	char text[32];
	uint64_t number = 0;

	memcpy(&number, kept->value, 8);
	if (!kept->size)
		return NULL;
	if (kept->size > 8)
		snprintf(text, sizeof(text), "%" PRIu32 " bytes", kept->size);
	else
		snprintf(text, sizeof(text), "0x%" PRIx64, number);
	return findings_text(h->findings, text);
}

static void event_finish(struct history *h, const struct kept *kept, struct finding_event *event, uint64_t example)
{
	*event = (struct finding_event){
		.number = kept->number,
		.op = op_name(kept->op),
		.thread = kept->thread,
		.line_offset = kept->line_offset,
		.size = kept->size,
		.value = history_value(h, kept),
		.where = kept->context ? history_where(h, kept->context) : NULL,
		.dirty = kept->dirty,
		.awaiting = kept->awaiting,
		.ordered = kept->ordered,
		.example = kept->number == example,
	};
}

static void watch_finish(struct history *h, struct watch *w)
{
	size_t before = w->ring_count < HISTORY_BEFORE ? w->ring_count : HISTORY_BEFORE;
	size_t oldest = w->ring_count - before;
	struct finding *finding = w->finding;

	finding->event_count = before + w->rest.count;
	struct finding_event *events = findings_block(h->findings, finding->event_count, sizeof(*events));
	for (size_t i = 0; i < before; i++)
		event_finish(h, &w->ring[(oldest + i) % HISTORY_BEFORE], &events[i], finding->first.event);
	for (size_t i = 0; i < w->rest.count; i++)
		event_finish(h, &w->rest.at[i], &events[before + i], finding->first.event);
	finding->events = events;
	model_free(w->model);
	vec_free(&w->rest);
}

int history_collect(struct findings *findings, const char *dir, struct symbols *symbols,
		    const struct findings_options *options, struct err *err)
{
	struct trace *trace;
	struct history h = {.findings = findings};

	if (trace_open(&trace, dir, err) < 0)
		return -1;
	h.stacks = (struct stacks){.findings = findings, .trace = trace, .symbols = symbols, .options = options};
	history_start(&h);
	int result = history_read(&h, trace, err);
	for (size_t i = 0; i < h.watches.count; i++)
		watch_finish(&h, &h.watches.at[i]);
	vec_free(&h.watches);
	map_free(&h.lines);
	map_free(&h.where);
	stacks_free(&h.stacks);
	trace_close(trace);
	return result;
}
