/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The merge: the processes that have not ended form a heap, with the lowest clock on top.  The top process is read
 * until its clock passes that of another.  On a tie, the older process comes first. */
#include "trace/trace.h"

#include <string.h>

#include "base/mem.h"
#include "trace/files.h"
#include "trace/stream.h"

struct trace {
	struct defs defs;
	struct stream *streams;
	size_t stream_count;
	struct stream **heap;
	size_t heap_count;
	uint32_t layers;
	bool failed;
	struct err failure; /* the damage at which reading stopped */
};

static bool goes_before(const struct stream *a, const struct stream *b)
{
	return a->clock != b->clock ? a->clock < b->clock : a->number < b->number;
}

static void heap_sift(struct trace *t, size_t at)
{
	for (;;) {
		size_t first = at;
		struct stream *swap;

		for (size_t child = at * 2 + 1; child <= at * 2 + 2 && child < t->heap_count; child++) {
			if (goes_before(t->heap[child], t->heap[first]))
				first = child;
		}
		if (first == at)
			return;
		swap = t->heap[at];
		t->heap[at] = t->heap[first];
		t->heap[first] = swap;
		at = first;
	}
}

static int open_streams(struct trace *t, const char *dir, const uint32_t *numbers, size_t count, struct err *err)
{
	t->streams = mem_alloc(count * sizeof(*t->streams));
	t->heap = mem_alloc(count * sizeof(struct stream *));
	for (size_t i = 0; i < count; i++) {
		struct stream *s = &t->streams[i];

		if (stream_open(s, dir, numbers[i], &t->defs, err) < 0)
			return -1;
		t->stream_count++;
		if (i == 0 && s->file.blank)
			return chunk_damage(&s->file, 0, err, "the file is empty");
		t->heap[t->heap_count++] = s;
		/* Children that were not followed have no files, so any other files belong to something else. */
		if (i == 0 && !(s->file.header.layers & BO_LAYER_FOLLOW))
			break;
	}
	t->layers = t->streams[0].file.header.layers;
	for (size_t i = t->heap_count; i-- > 0;)
		heap_sift(t, i);
	return 0;
}

int trace_open(struct trace **trace, const char *dir, struct err *err)
{
	uint32_t *numbers;
	struct trace *t;
	size_t count;
	int r;

	*trace = NULL;
	if (files_list(dir, &numbers, &count, err) < 0)
		return -1;
	t = mem_alloc(sizeof(*t));
	defs_init(&t->defs);
	r = open_streams(t, dir, numbers, count, err);
	free(numbers);
	if (r < 0) {
		trace_close(t);
		return -1;
	}
	*trace = t;
	return 0;
}

int trace_open_live(struct trace **trace, const char *dir, struct err *err)
{
	struct trace *t = mem_alloc(sizeof(*t));
	int r;

	*trace = NULL;
	defs_init(&t->defs);
	t->streams = mem_alloc(sizeof(*t->streams));
	t->heap = mem_alloc(sizeof(struct stream *));
	r = stream_open_live(t->streams, dir, 0, &t->defs, err);
	if (r > 0) {
		t->heap[t->heap_count++] = &t->streams[t->stream_count++];
		t->layers = t->streams[0].file.header.layers;
		if (t->layers & BO_LAYER_FOLLOW)
			r = err_set(err, "a recording of several processes cannot be read before it is complete");
	}
	if (r <= 0)
		trace_close(t);
	else
		*trace = t;
	return r;
}

int trace_end_live(struct trace *trace, struct err *err)
{
	return trace->failed ? 0 : stream_end_live(trace->streams, err);
}

void trace_close(struct trace *trace)
{
	if (!trace)
		return;
	for (size_t i = 0; i < trace->stream_count; i++)
		stream_close(&trace->streams[i]);
	free(trace->streams);
	free(trace->heap);
	defs_free(&trace->defs);
	free(trace);
}

static int trace_fail(struct trace *trace, const struct err *err)
{
	trace->failed = true;
	trace->failure = *err;
	return -1;
}

int trace_next(struct trace *trace, struct event *ev, struct err *err)
{
	if (trace->failed) {
		*err = trace->failure;
		return -1;
	}
	while (trace->heap_count) {
		switch (stream_next(trace->heap[0], ev, err)) {
		case STREAM_EVENT: return 1;
		case STREAM_DAMAGE: return trace_fail(trace, err);
		case STREAM_WAIT: return TRACE_WAIT;
		case STREAM_CLOCK: break;
		case STREAM_END:
			stream_close(trace->heap[0]);
			trace->heap[0] = trace->heap[--trace->heap_count];
			break;
		}
		heap_sift(trace, 0);
	}
	return 0;
}

const struct trace_module *trace_module(const struct trace *trace, uint32_t id)
{
	return slab_at(&trace->defs.modules, (size_t)id - 1);
}

const struct trace_context *trace_context(const struct trace *trace, uint32_t id)
{
	return slab_at(&trace->defs.contexts, (size_t)id - 1);
}

uint32_t trace_context_parent(const struct trace *trace, uint32_t id)
{
	const struct trace_context *context = trace_context(trace, id);

	return context ? context->parent : 0;
}

const struct trace_file *trace_file(const struct trace *trace, uint32_t id)
{
	return slab_at(&trace->defs.files, (size_t)id - 1);
}

const struct trace_function *trace_function(const struct trace *trace, uint32_t id)
{
	return slab_at(&trace->defs.functions, (size_t)id - 1);
}

const struct trace_read *trace_read(const struct trace *trace, uint32_t id)
{
	return slab_at(&trace->defs.reads, (size_t)id - 1);
}

struct trace_label trace_label(const struct trace *trace, uint32_t id)
{
	return defs_label(&trace->defs, id);
}

uint32_t trace_module_count(const struct trace *trace)
{
	return (uint32_t)trace->defs.modules.count;
}

uint32_t trace_context_count(const struct trace *trace)
{
	return (uint32_t)trace->defs.contexts.count;
}

uint32_t trace_file_count(const struct trace *trace)
{
	return (uint32_t)trace->defs.files.count;
}

uint32_t trace_thread_count(const struct trace *trace)
{
	return trace->defs.thread_count;
}

uint32_t trace_read_count(const struct trace *trace)
{
	return (uint32_t)trace->defs.reads.count;
}

uint32_t trace_label_count(const struct trace *trace)
{
	return (uint32_t)trace->defs.labels.count;
}

const struct trace_block *trace_block(const struct trace *trace, size_t index)
{
	return slab_at(&trace->defs.blocks, index);
}

const struct expressions *trace_expressions(const struct trace *trace)
{
	return trace->defs.expressions;
}

struct expressions *trace_take_expressions(struct trace *trace)
{
	struct expressions *x = trace->defs.expressions;

	trace->defs.expressions = NULL;
	return x;
}

const char *trace_meta(const struct trace *trace, const char *key)
{
	return defs_meta(&trace->defs, key);
}

const char *trace_meta_at(const struct trace *trace, size_t index, const char **value)
{
	const struct def_meta *meta = slab_at(&trace->defs.metas, index);

	if (meta)
		*value = meta->value;
	return meta ? meta->key : NULL;
}

const char *trace_refused_runtime(const struct trace *trace, unsigned index)
{
	char key[sizeof(BO_META_RUNTIME_REFUSED) + 12];

	snprintf(key, sizeof(key), BO_META_RUNTIME_REFUSED "%u", index);
	return trace_layers(trace) & BO_LAYER_SYNC ? trace_meta(trace, key) : NULL;
}

uint32_t trace_layers(const struct trace *trace)
{
	return trace->layers;
}

uint32_t trace_layers_unknown(const struct trace *trace)
{
	return trace->layers & ~(uint32_t)BO_LAYERS_KNOWN;
}

uint64_t trace_bytes(const struct trace *trace)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < trace->stream_count; i++)
		bytes += trace->streams[i].raw_bytes;
	return bytes;
}

uint64_t trace_records(const struct trace *trace)
{
	uint64_t records = 0;

	for (size_t i = 0; i < trace->stream_count; i++)
		records += trace->streams[i].record_count;
	return records;
}

bool trace_sealed(const struct trace *trace)
{
	for (size_t i = 0; i < trace->stream_count; i++) {
		if (!trace->streams[i].whole)
			return false;
	}
	return trace->streams[0].marked;
}
