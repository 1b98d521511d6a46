/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trace/stream.h"

#include <string.h>

#include "trace/apply.h"
#include "trace/dependencies.h"
#include "trace/files.h"
#include "trace/seal.h"
#include "trace/sync.h"

#define UNLIKELY(x) __builtin_expect(!!(x), 0)

/* Opening */

/* Read only the chunk headers.  Damage met here will be met again, and reported, when reading. */
static void stream_survey(struct stream *s)
{
	struct chunk chunk = {0};
	struct err ignored;
	int r;

	s->whole = s->file.blank || s->file.size == s->file.header.header_bytes;
	while ((r = chunk_next(&s->file, &chunk, &ignored)) > 0) {
		s->raw_bytes += chunk.header.raw_bytes;
		s->record_count += chunk.header.events;
		s->whole = chunk.header.codec != BO_CHUNK_OPEN && chunk.end == s->file.size;
		s->marked = s->whole && seal_is_mark(&s->file, &chunk);
	}
	if (r < 0)
		s->whole = false;
}

/* A process that was started by another may have definitions before its first CLOCK.  They belong to that first burst,
 * not to the start of the recording. */
static uint64_t stream_first_clock(const struct stream *s)
{
	struct chunk chunk = {0};
	struct decoder decoder;
	struct record record;
	struct err ignored;
	uint64_t clock = 0;

	if (chunk_next(&s->file, &chunk, &ignored) <= 0)
		return 0;
	if (chunk.header.clock || chunk_load(&s->file, &chunk, &ignored) < 0) {
		clock = chunk.header.clock;
	} else {
		decoder = decoder_at(chunk.payload, chunk.payload_bytes);
		while (!clock && decode_next(&decoder, &record) > 0)
			clock = record.op == BO_OP_CLOCK ? record.number[0] : 0;
	}
	chunk_drop(&chunk);
	return clock;
}

/* Set up a new stream, whether its file is complete or live. */
static int stream_begin(struct stream *s, struct err *err)
{
	if (!s->file.blank && s->file.header.process != s->number) {
		chunk_damage(&s->file, offsetof(struct bo_file_header, process), err, "it is the trace of process %u",
			     s->file.header.process);
		chunk_file_close(&s->file);
		return -1;
	}
	vec_push(&s->modules, 0);
	vec_push(&s->contexts, 0);
	vec_push(&s->files, 0);
	vec_push(&s->functions, 0);
	vec_push(&s->reads, 0);
	vec_push(&s->labels, 0);
	vec_push(&s->sources, 0);
	vec_push(&s->tables, 0);
	vec_push(&s->expressions, 0);
	return 0;
}

int stream_open(struct stream *s, const char *dir, uint32_t number, struct defs *defs, struct err *err)
{
	char name[FILES_NAME_BYTES];

	*s = (struct stream){.number = number, .defs = defs, .blank.process = number};
	files_name(name, number);
	if (chunk_file_open(&s->file, dir, name, err) < 0 || stream_begin(s, err) < 0)
		return -1;
	stream_survey(s);
	if (number)
		s->clock = stream_first_clock(s);
	return 0;
}

int stream_open_live(struct stream *s, const char *dir, uint32_t number, struct defs *defs, struct err *err)
{
	char name[FILES_NAME_BYTES];
	int r;

	*s = (struct stream){.number = number, .defs = defs, .blank.process = number};
	files_name(name, number);
	r = chunk_file_open_live(&s->file, dir, name, err);
	if (r <= 0)
		return r;
	return stream_begin(s, err) < 0 ? -1 : 1;
}

int stream_end_live(struct stream *s, struct err *err)
{
	if (chunk_file_end_live(&s->file, err) < 0)
		return -1;
	stream_survey(s);
	return 0;
}

void stream_close(struct stream *s)
{
	chunk_drop(&s->chunk);
	chunk_file_close(&s->file);
	s->file.blank = true; /* from now on it reads as ended */
	vec_free(&s->modules);
	vec_free(&s->contexts);
	vec_free(&s->files);
	vec_free(&s->functions);
	vec_free(&s->reads);
	vec_free(&s->labels);
	vec_free(&s->sources);
	vec_free(&s->tables);
	vec_free(&s->expressions);
	map_free(&s->own_files);
	map_free(&s->threads);
	mappings_free(&s->mappings);
}

/* Reading */

static enum stream_step stream_damage(const struct stream *s, struct err *err)
{
	const struct chunk *c = &s->chunk;
	uint64_t at = (uint64_t)(s->decoder.record - c->payload);

	if (c->header.codec == BO_CHUNK_ZSTD)
		chunk_damage(&s->file, c->offset, err, "%s (at byte %llu of the decompressed chunk)",
			     s->decoder.problem, (unsigned long long)at);
	else
		chunk_damage(&s->file, c->offset + sizeof(c->header) + at, err, "%s", s->decoder.problem);
	if (!strncmp(s->decoder.problem, "unknown event", 13))
		err_hint(err, "if the file is sound, a newer version of blackout wrote it");
	return STREAM_DAMAGE;
}

static int stream_enter_chunk(struct stream *s, struct err *err)
{
	uint32_t thread = s->chunk.header.thread;

	if (!s->threads.count)
		apply_first_thread(s, thread);
	s->thread = apply_thread(s, thread);
	if (!s->thread)
		return chunk_damage(&s->file, s->chunk.offset, err, "thread %u was not defined before", thread);
	s->decoder = decoder_at(s->chunk.payload, s->chunk.payload_bytes);
	s->records = 0;
	return 0;
}

static enum stream_step stream_next_chunk(struct stream *s, struct err *err)
{
	const struct bo_chunk_header *h = &s->chunk.header;
	enum stream_step end = s->file.live ? STREAM_WAIT : STREAM_END;
	int r;

	/* If the chunk was left open, its count may be out of date. */
	if (s->chunk.offset && h->codec != BO_CHUNK_OPEN && h->events != s->records)
		return chunk_damage(&s->file, s->chunk.offset, err, "the chunk holds %u events, its header says %u",
				    s->records, h->events);
	if (s->file.live)
		r = chunk_next_live(&s->file, &s->chunk);
	else if ((r = chunk_next(&s->file, &s->chunk, err)) > 0)
		r = chunk_load(&s->file, &s->chunk, err) < 0 ? -1 : 1;
	if (r < 0 || (r > 0 && stream_enter_chunk(s, err) < 0))
		return STREAM_DAMAGE;
	return r ? STREAM_EVENT : end;
}

/* An event that spans several mappings is delivered in pieces, one per mapping.  The gaps between them are not PM and
 * are skipped.  If no part of it is mapped, it is delivered whole, without a file. */
static void event_split(struct stream *s, struct event *ev)
{
	size_t index = mappings_seek(&s->mappings, ev->addr);
	const struct mapping *at;
	uint64_t end = ev->addr + ev->size, skip;

	s->rest.size = 0;
	if (index == s->mappings.list.count || s->mappings.list.at[index].start >= end)
		return;
	at = &s->mappings.list.at[index];
	skip = at->start > ev->addr ? at->start - ev->addr : 0;
	ev->addr += skip;
	ev->data = ev->data ? ev->data + skip : NULL;
	ev->size = (at->end < end ? at->end : end) - ev->addr;
	ev->file = at->file;
	ev->offset = at->offset + (ev->addr - at->start);
	if (at->end >= end || index + 1 == s->mappings.list.count || at[1].start >= end)
		return;
	s->rest = *ev;
	s->rest.addr = ev->addr + ev->size;
	s->rest.size = end - s->rest.addr;
	s->rest.data = ev->data ? ev->data + ev->size : NULL;
}

static enum stream_step event_place(struct stream *s, struct event *ev, struct err *err)
{
	const struct mapping *at = mappings_find(&s->mappings, ev->addr);

	if (at && ev->size <= at->end - ev->addr) {
		ev->file = at->file;
		ev->offset = at->offset + (ev->addr - at->start);
		return STREAM_EVENT;
	}
	if (!mappings_range_valid(ev->addr, ev->size)) {
		snprintf(s->decoder.problem, sizeof(s->decoder.problem), "an access to an impossible address");
		return stream_damage(s, err);
	}
	event_split(s, ev);
	return STREAM_EVENT;
}

static inline enum stream_step event_store(struct stream *s, const struct record *r, struct event *ev, struct err *err)
{
	ev->type = EVENT_STORE;
	ev->kind = r->kind;
	ev->addr = r->addr;
	ev->size = r->size;
	ev->data = r->data;
	ev->unit = r->unit;
	dependencies_attach(s, ev);
	sync_attach(s, ev);
	return event_place(s, ev, err);
}

static inline enum stream_step event_access(struct stream *s, enum event_type type, const struct record *r,
					    struct event *ev)
{
	const struct mapping *at = mappings_find(&s->mappings, r->addr);

	ev->type = type;
	ev->addr = r->addr;
	if (type == EVENT_LOAD) {
		ev->size = r->size;
		dependencies_attach(s, ev);
		sync_attach(s, ev);
	}
	if (at) {
		ev->file = at->file;
		ev->offset = at->offset + (r->addr - at->start);
	}
	return STREAM_EVENT;
}

static inline enum stream_step event_fence(enum event_type type, struct event *ev)
{
	ev->type = type;
	return STREAM_EVENT;
}

/* Returning STREAM_END means: consumed, continue. */
static enum stream_step event_other(struct stream *s, const struct record *r, struct event *ev, struct err *err)
{
	switch (apply_record(s, r, ev)) {
	case APPLY_CONSUMED: return STREAM_END;
	case APPLY_CLOCK: return STREAM_CLOCK;
	case APPLY_EVENT: return ev->type == EVENT_MSYNC ? event_place(s, ev, err) : STREAM_EVENT;
	default: return stream_damage(s, err);
	}
}

static inline enum stream_step event_make(struct stream *s, const struct record *r, struct event *ev, struct err *err)
{
	if (UNLIKELY(r->context >= s->contexts.count)) {
		snprintf(s->decoder.problem, sizeof(s->decoder.problem), "context %llu was not defined before",
			 (unsigned long long)r->context);
		return stream_damage(s, err);
	}
	*ev = s->blank;
	ev->thread = s->thread;
	ev->context = s->contexts.at[r->context];
	switch (r->op) {
	case BO_OP_STORE: return event_store(s, r, ev, err);
	case BO_OP_LOAD: return event_access(s, EVENT_LOAD, r, ev);
	case BO_OP_CLFLUSH: return event_access(s, EVENT_CLFLUSH, r, ev);
	case BO_OP_CLFLUSHOPT: return event_access(s, EVENT_CLFLUSHOPT, r, ev);
	case BO_OP_CLWB: return event_access(s, EVENT_CLWB, r, ev);
	case BO_OP_SFENCE: return event_fence(EVENT_SFENCE, ev);
	case BO_OP_MFENCE: return event_fence(EVENT_MFENCE, ev);
	case BO_OP_LOCKED: return event_fence(EVENT_LOCKED, ev);
	default: return event_other(s, r, ev, err);
	}
}

enum stream_step stream_next(struct stream *s, struct event *ev, struct err *err)
{
	enum stream_step step;
	struct record record;
	int r;

	if (UNLIKELY(s->rest.size)) {
		*ev = s->rest;
		event_split(s, ev);
		return STREAM_EVENT;
	}
	for (;;) {
		r = decode_next(&s->decoder, &record);
		if (UNLIKELY(r == 0)) {
			step = stream_next_chunk(s, err);
			if (step != STREAM_EVENT)
				return step;
			continue;
		}
		if (UNLIKELY(r < 0))
			return stream_damage(s, err);
		s->records++;
		step = event_make(s, &record, ev, err);
		if (step != STREAM_END)
			return step;
	}
}
