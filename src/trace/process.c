/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trace/process.h"

#include <string.h>

#include "trace/apply.h"
#include "trace/files.h"
#include "trace/seal.h"

#define UNLIKELY(x) __builtin_expect(!!(x), 0)

/* Opening */

/* Look at the chunk headers alone.  Damage that is met here will be met again, and reported, by reading. */
static void process_survey(struct process *p)
{
	struct chunk chunk = {0};
	struct err ignored;
	int r;

	p->whole = p->file.blank || p->file.size == p->file.header.header_bytes;
	while ((r = chunk_next(&p->file, &chunk, &ignored)) > 0) {
		p->raw_bytes += chunk.header.raw_bytes;
		p->record_count += chunk.header.events;
		p->whole = chunk.header.codec != BO_CHUNK_OPEN && chunk.end == p->file.size;
		p->marked = p->whole && seal_is_mark(&p->file, &chunk);
	}
	if (r < 0)
		p->whole = false;
}

/* A process that was started by another may define things before its first CLOCK: they belong to that first burst, not to the
 * beginning of the recording. */
static uint64_t process_first_clock(const struct process *p)
{
	struct chunk chunk = {0};
	struct decoder decoder;
	struct record record;
	struct err ignored;
	uint64_t clock = 0;

	if (chunk_next(&p->file, &chunk, &ignored) <= 0)
		return 0;
	if (chunk.header.clock || chunk_load(&p->file, &chunk, &ignored) < 0) {
		clock = chunk.header.clock;
	} else {
		decoder = decoder_at(chunk.payload, chunk.payload_bytes);
		while (!clock && decode_next(&decoder, &record) > 0)
			clock = record.op == BO_OP_CLOCK ? record.number[0] : 0;
	}
	chunk_drop(&chunk);
	return clock;
}

int process_open(struct process *p, const char *dir, uint32_t number, struct defs *defs, struct err *err)
{
	char name[FILES_NAME_BYTES];

	*p = (struct process){.number = number, .defs = defs};
	files_name(name, number);
	if (chunk_file_open(&p->file, dir, name, err) < 0)
		return -1;
	if (!p->file.blank && p->file.header.process != number) {
		chunk_damage(&p->file, offsetof(struct bo_file_header, process), err, "it is the trace of process %u",
			     p->file.header.process);
		chunk_file_close(&p->file);
		return -1;
	}
	vec_push(&p->modules, 0);
	vec_push(&p->contexts, 0);
	vec_push(&p->files, 0);
	process_survey(p);
	if (number)
		p->clock = process_first_clock(p);
	return 0;
}

void process_close(struct process *p)
{
	chunk_drop(&p->chunk);
	chunk_file_close(&p->file);
	p->file.blank = true; /* reads as ended from now on */
	vec_free(&p->modules);
	vec_free(&p->contexts);
	vec_free(&p->files);
	map_free(&p->own_files);
	map_free(&p->threads);
	mappings_free(&p->mappings);
}

/* Reading */

static enum process_step process_damage(const struct process *p, struct err *err)
{
	const struct chunk *c = &p->chunk;
	uint64_t at = (uint64_t)(p->decoder.record - c->payload);

	if (c->header.codec == BO_CHUNK_ZSTD)
		chunk_damage(&p->file, c->offset, err, "%s (at byte %llu of the decompressed chunk)", p->decoder.problem,
			     (unsigned long long)at);
	else
		chunk_damage(&p->file, c->offset + sizeof(c->header) + at, err, "%s", p->decoder.problem);
	if (!strncmp(p->decoder.problem, "unknown event", 13))
		err_hint(err, "if the file is sound, a newer version of blackout wrote it");
	return PROCESS_DAMAGE;
}

static int process_enter_chunk(struct process *p, struct err *err)
{
	uint32_t thread = p->chunk.header.thread;

	if (chunk_load(&p->file, &p->chunk, err) < 0)
		return -1;
	if (!p->threads.count)
		apply_first_thread(p, thread);
	p->thread = apply_thread(p, thread);
	if (!p->thread)
		return chunk_damage(&p->file, p->chunk.offset, err, "thread %u was not defined before", thread);
	p->decoder = decoder_at(p->chunk.payload, p->chunk.payload_bytes);
	p->records = 0;
	return 0;
}

/* 1: there are further records; 0: the end of the file. */
static int process_next_chunk(struct process *p, struct err *err)
{
	const struct bo_chunk_header *h = &p->chunk.header;
	int r;

	/* The count of a chunk that was left open may lag behind. */
	if (p->chunk.offset && h->codec != BO_CHUNK_OPEN && h->events != p->records)
		return chunk_damage(&p->file, p->chunk.offset, err, "the chunk holds %u events, its header says %u", p->records,
				    h->events);
	r = chunk_next(&p->file, &p->chunk, err);
	if (r > 0 && process_enter_chunk(p, err) < 0)
		return -1;
	return r;
}

/* An event that reaches over several mappings is delivered in pieces, one for each; what lies between them is no PM and left out.
 * If nothing of it is mapped, it is delivered whole, without a file. */
static void event_split(struct process *p, struct event *ev)
{
	size_t index = mappings_seek(&p->mappings, ev->addr);
	const struct mapping *at = p->mappings.list.at + index;
	uint64_t end = ev->addr + ev->size, skip;

	p->rest.size = 0;
	if (index == p->mappings.list.count || at->start >= end)
		return;
	skip = at->start > ev->addr ? at->start - ev->addr : 0;
	ev->addr += skip;
	ev->data = ev->data ? ev->data + skip : NULL;
	ev->size = (at->end < end ? at->end : end) - ev->addr;
	ev->file = at->file;
	ev->offset = at->offset + (ev->addr - at->start);
	if (at->end >= end || index + 1 == p->mappings.list.count || at[1].start >= end)
		return;
	p->rest = *ev;
	p->rest.addr = ev->addr + ev->size;
	p->rest.size = end - p->rest.addr;
	p->rest.data = ev->data ? ev->data + ev->size : NULL;
}

static enum process_step event_place(struct process *p, struct event *ev, struct err *err)
{
	const struct mapping *at = mappings_find(&p->mappings, ev->addr);

	if (at && ev->size <= at->end - ev->addr) {
		ev->file = at->file;
		ev->offset = at->offset + (ev->addr - at->start);
		return PROCESS_EVENT;
	}
	if (!mappings_range_valid(ev->addr, ev->size)) {
		snprintf(p->decoder.problem, sizeof(p->decoder.problem), "an access to an impossible address");
		return process_damage(p, err);
	}
	event_split(p, ev);
	return PROCESS_EVENT;
}

static inline enum process_step event_store(struct process *p, const struct record *r, struct event *ev, struct err *err)
{
	ev->type = EVENT_STORE;
	ev->kind = r->kind;
	ev->addr = r->addr;
	ev->size = r->size;
	ev->data = r->data;
	ev->unit = r->unit;
	return event_place(p, ev, err);
}

static inline enum process_step event_access(struct process *p, enum event_type type, const struct record *r, struct event *ev)
{
	const struct mapping *at = mappings_find(&p->mappings, r->addr);

	ev->type = type;
	ev->addr = r->addr;
	ev->size = type == EVENT_LOAD ? r->size : 0;
	if (at) {
		ev->file = at->file;
		ev->offset = at->offset + (r->addr - at->start);
	}
	return PROCESS_EVENT;
}

static inline enum process_step event_fence(enum event_type type, struct event *ev)
{
	ev->type = type;
	return PROCESS_EVENT;
}

/* PROCESS_END here means: consumed, go on. */
static enum process_step event_other(struct process *p, const struct record *r, struct event *ev, struct err *err)
{
	switch (apply_record(p, r, ev)) {
	case APPLY_CONSUMED: return PROCESS_END;
	case APPLY_CLOCK: return PROCESS_CLOCK;
	case APPLY_EVENT: return ev->type == EVENT_MSYNC ? event_place(p, ev, err) : PROCESS_EVENT;
	default: return process_damage(p, err);
	}
}

static inline enum process_step event_make(struct process *p, const struct record *r, struct event *ev, struct err *err)
{
	if (UNLIKELY(r->context >= p->contexts.count)) {
		snprintf(p->decoder.problem, sizeof(p->decoder.problem), "context %llu was not defined before",
			 (unsigned long long)r->context);
		return process_damage(p, err);
	}
	*ev = (struct event){.process = p->number, .thread = p->thread, .context = p->contexts.at[r->context]};
	switch (r->op) {
	case BO_OP_STORE: return event_store(p, r, ev, err);
	case BO_OP_LOAD: return event_access(p, EVENT_LOAD, r, ev);
	case BO_OP_CLFLUSH: return event_access(p, EVENT_CLFLUSH, r, ev);
	case BO_OP_CLFLUSHOPT: return event_access(p, EVENT_CLFLUSHOPT, r, ev);
	case BO_OP_CLWB: return event_access(p, EVENT_CLWB, r, ev);
	case BO_OP_SFENCE: return event_fence(EVENT_SFENCE, ev);
	case BO_OP_MFENCE: return event_fence(EVENT_MFENCE, ev);
	case BO_OP_LOCKED: return event_fence(EVENT_LOCKED, ev);
	default: return event_other(p, r, ev, err);
	}
}

enum process_step process_next(struct process *p, struct event *ev, struct err *err)
{
	enum process_step step;
	struct record record;
	int r;

	if (UNLIKELY(p->rest.size)) {
		*ev = p->rest;
		event_split(p, ev);
		return PROCESS_EVENT;
	}
	for (;;) {
		r = decode_next(&p->decoder, &record);
		if (UNLIKELY(r == 0)) {
			r = process_next_chunk(p, err);
			if (r <= 0)
				return r < 0 ? PROCESS_DAMAGE : PROCESS_END;
			continue;
		}
		if (UNLIKELY(r < 0))
			return process_damage(p, err);
		p->records++;
		step = event_make(p, &record, ev, err);
		if (step != PROCESS_END)
			return step;
	}
}
