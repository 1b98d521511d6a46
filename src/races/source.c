/* SPDX-License-Identifier: GPL-2.0-or-later */
/* source.c - which stores of the binary are one store of the source. */
#include "races/history.h"

/* How far apart the stores of a copying function may be: it may store the end before the middle, in parts of up to 64
 * bytes. */
#define COPY_GAP 256u

static struct source *source_new(struct race_history *history, const struct event *ev, uint64_t number)
{
	struct source *source = history->free_sources.count ? history->free_sources.at[--history->free_sources.count]
							    : slab_push(&history->source_slab);

	*source = (struct source){
		.first = number,
		.offset = ev->offset,
		.end = ev->offset + ev->size,
		.access = ev->access,
		.file = ev->file,
		.thread = ev->thread,
		.context = ev->context,
		.atomicity = (uint8_t)ev->atomicity,
		.order = (uint8_t)ev->order,
		.kernel = ev->type != EVENT_STORE || ev->kind == BO_STORE_KERNEL,
	};
	/* No compiler makes a locked instruction of a plain store. */
	if (ev->type == EVENT_STORE && ev->kind == BO_STORE_LOCKED && ev->atomicity == BO_ATOMICITY_UNKNOWN) {
		source->atomicity = BO_ATOMICITY_ATOMIC;
		source->order = BO_ORDER_SEQ_CST;
	}
	return source;
}

void source_drop(struct race_history *history, struct source *source)
{
	if (source && !--source->users)
		vec_push(&history->free_sources, source);
}

/* Replace the source that a thread may go on with. */
static void slot_put(struct race_history *history, struct source **slot, struct source *source)
{
	source_drop(history, *slot);
	*slot = source;
	if (source)
		source->users++;
}

void source_end_copy(struct race_history *history, uint32_t thread)
{
	slot_put(history, &history_writer(history, thread)->copy, NULL);
}

static struct source *access_find(const struct writer *writer, const struct event *ev)
{
	for (unsigned i = 0; i < RECENT_SOURCES; i++) {
		struct source *source = writer->recent[i];

		if (source && source->access == ev->access && source->file == ev->file)
			return source;
	}
	return NULL;
}

static struct source *access_source(struct race_history *history, const struct event *ev, uint64_t number)
{
	struct writer *writer = history_writer(history, ev->thread);
	struct source *source = access_find(writer, ev);

	if (source)
		return source;
	source = source_new(history, ev, number);
	slot_put(history, &writer->recent[writer->recent_next++ % RECENT_SOURCES], source);
	return source;
}

/* Does the event belong to the copy that is under way?  An instruction that stores a word or less is not executed twice
 * by one copy: copies of that size have no loop.  So it is the next call. */
static bool copy_continues(const struct writer *writer, const struct event *ev, uint32_t caller)
{
	const struct source *copy = writer->copy;
	uint64_t end = ev->offset + ev->size, gap = ev->size > WORD_BYTES ? COPY_GAP : 0;

	if (!copy || writer->copy_caller != caller || copy->file != ev->file)
		return false;
	if (ev->size <= WORD_BYTES && (ev->context == copy->context || ev->context == copy->last_context))
		return false;
	return ev->offset <= copy->end + gap && end + gap >= copy->offset;
}

static struct source *copy_source(struct race_history *history, const struct event *ev, uint64_t number,
				  uint32_t caller)
{
	struct writer *writer = history_writer(history, ev->thread);

	if (!copy_continues(writer, ev, caller)) {
		slot_put(history, &writer->copy, source_new(history, ev, number));
		writer->copy_caller = caller;
	}
	return writer->copy;
}

static void source_grow(struct source *source, uint64_t offset, uint64_t end)
{
	if (offset < source->offset)
		source->offset = offset;
	if (end > source->end)
		source->end = end;
}

/* What the compiler announced may be more than this event stores. */
static void source_grow_access(struct source *source, const struct event *ev)
{
	uint64_t before = ev->addr - ev->access_addr;

	if (ev->access && ev->access_addr <= ev->addr && before <= ev->offset && ev->access_size)
		source_grow(source, ev->offset - before, ev->offset - before + ev->access_size);
}

struct source *source_of(struct race_history *history, const struct event *ev, uint64_t number)
{
	uint32_t caller = 0;
	struct source *source;

	if (ev->type == EVENT_STORE && !ev->access && ev->atomicity == BO_ATOMICITY_UNKNOWN && history->caller)
		caller = history->caller(history->arg, ev->context);
	if (!caller)
		source_end_copy(history, ev->thread);
	if (ev->type == EVENT_STORE && ev->access)
		source = access_source(history, ev, number);
	else
		source = caller ? copy_source(history, ev, number, caller) : source_new(history, ev, number);
	source->users++;
	source->last = number;
	source->last_context = ev->context;
	source_grow(source, ev->offset, ev->offset + ev->size);
	source_grow_access(source, ev);
	return source;
}

bool source_in_units(const struct source *source)
{
	return source->changed > 1;
}

bool source_may_tear(const struct source *source)
{
	uint64_t size = source->end - source->offset;

	if (source->kernel || source->atomicity == BO_ATOMICITY_ATOMIC)
		return false;
	if (source->atomicity == BO_ATOMICITY_PLAIN)
		return true;
	if (source->atomicity == BO_ATOMICITY_VOLATILE &&
	    (size > WORD_BYTES || size & (size - 1) || source->offset % size))
		return true;
	return source_in_units(source);
}

bool source_releases(const struct source *source)
{
	if (source->kernel)
		return true;
	if (source->atomicity == BO_ATOMICITY_ATOMIC)
		return order_releases(source->order);
	return source->atomicity == BO_ATOMICITY_UNKNOWN && !source_in_units(source);
}
