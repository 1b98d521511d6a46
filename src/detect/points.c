/* SPDX-License-Identifier: GPL-2.0-or-later */
/* points.c - see points.h.  Comments here refer to the numbered rules there. */
#include "detect/points.h"

#include "base/err.h"
#include "base/map.h"
#include "base/vec.h"

/* State of one thread. */
struct progress {
	bool streaming; /* in a sequence of non-temporal stores */
	bool waiting;   /* has flushed, or stored past the cache, and has not fenced since */
};

struct points {
	enum points_at at;
	VEC_OF(struct point) all;
	struct map numbers;       /* (context, op) -> number */
	uint64_t visited, unique; /* without afterthoughts */
	size_t shown;             /* the number that users see of the last visited point */
	bool stored;              /* PM was changed at least once */
	bool changed, grown;      /* since the last visit: PM changed; more became guaranteed */
	VEC_OF(struct progress) threads;
};

struct points *points_new(enum points_at at)
{
	struct points *p = mem_alloc(sizeof(*p));

	p->at = at;
	return p;
}

void points_free(struct points *p)
{
	if (!p)
		return;
	vec_free(&p->all);
	vec_free(&p->threads);
	map_free(&p->numbers);
	free(p);
}

static struct progress *thread_progress(struct points *p, uint32_t thread)
{
	while (p->threads.count <= thread)
		vec_push(&p->threads, (struct progress){0});
	return &p->threads.at[thread];
}

static bool is_locked(const struct event *ev)
{
	return ev->type == EVENT_LOCKED || (ev->type == EVENT_STORE && ev->kind == BO_STORE_LOCKED);
}

static bool is_fence(const struct event *ev)
{
	return ev->type == EVENT_SFENCE || ev->type == EVENT_MFENCE || is_locked(ev);
}

static bool is_streamed(const struct event *ev)
{
	return ev->type == EVENT_STORE && ev->kind == BO_STORE_NONTEMPORAL && ev->file;
}

static bool is_flush(const struct event *ev)
{
	return (ev->type == EVENT_CLWB || ev->type == EVENT_CLFLUSHOPT || ev->type == EVENT_CLFLUSH) && ev->file;
}

/* Rules 1 and 4: is there a failure point before this event? */
static bool event_persists(struct points *p, const struct event *ev)
{
	switch (ev->type) {
	case EVENT_STORE:
		if (!ev->file)
			return false;
		return p->at == POINTS_STORE || is_locked(ev) ||
		       (is_streamed(ev) && !thread_progress(p, ev->thread)->streaming);
	case EVENT_CLFLUSH:
	case EVENT_CLFLUSHOPT:
	case EVENT_CLWB: return ev->file;
	case EVENT_SFENCE:
	case EVENT_MFENCE:
	case EVENT_LOCKED:
	case EVENT_FILE_SYNC:
	case EVENT_MSYNC:
	case EVENT_UNMAP:
	case EVENT_EXIT:
	case EVENT_SIGNAL: return true;
	default: return false;
	}
}

/* Rule 2: does PM change? */
static bool event_changes(const struct event *ev)
{
	switch (ev->type) {
	case EVENT_STORE: return ev->file != 0;
	case EVENT_FILE: return ev->flags & BO_FILE_CREATED;
	case EVENT_FILE_WRITE:
	case EVENT_FILE_TRUNCATE:
	case EVENT_FILE_ALLOCATE:
	case EVENT_FILE_RENAME:
	case EVENT_FILE_UNLINK: return true;
	default: return false;
	}
}

/* Applies the effect of the event. */
static void event_note(struct points *p, const struct event *ev)
{
	if (event_changes(ev))
		p->changed = p->stored = true;
	if (is_fence(ev)) {
		struct progress *thread = thread_progress(p, ev->thread);

		p->grown |= thread->waiting;
		*thread = (struct progress){0};
	} else if (is_flush(ev)) {
		*thread_progress(p, ev->thread) = (struct progress){.waiting = p->stored};
	} else if (is_streamed(ev)) {
		*thread_progress(p, ev->thread) = (struct progress){.streaming = true, .waiting = true};
	} else if (ev->type == EVENT_MSYNC || ev->type == EVENT_FILE_SYNC) {
		p->grown |= p->stored;
	}
}

/* Rule 3. */
static size_t point_visit(struct points *p, uint32_t context, enum op op, uint64_t number, uint64_t *visit)
{
	bool afterthought = !p->changed;
	uint64_t *found = map_put(&p->numbers, context, (uint64_t)op << 1 | afterthought);
	struct point *point;

	if (!*found) {
		struct point new = {.context = context, .op = op, .first = number, .afterthought = afterthought};

		p->unique += !afterthought;
		new.shown = afterthought ? p->shown : p->unique;
		vec_push(&p->all, new);
		*found = p->all.count;
	}
	point = &p->all.at[*found - 1];
	p->shown = point->shown;
	point->last = number;
	*visit = ++point->visits;
	p->visited += !afterthought;
	p->changed = p->grown = false;
	return *found;
}

size_t points_event(struct points *p, const struct event *ev, uint64_t number, uint64_t *visit)
{
	size_t point = 0;

	if ((p->changed || p->grown) && event_persists(p, ev))
		point = point_visit(p, ev->context, op_of(ev), number, visit);
	event_note(p, ev);
	return point;
}

size_t points_end(struct points *p, uint64_t number, uint64_t *visit)
{
	return p->changed || p->grown ? point_visit(p, 0, OP_COUNT, number + 1, visit) : 0;
}

enum points_at points_kind(const struct points *p)
{
	return p->at;
}

size_t points_count(const struct points *p)
{
	return p->all.count;
}

size_t points_unique(const struct points *p)
{
	return p->unique;
}

uint64_t points_visited(const struct points *p)
{
	return p->visited;
}

const struct point *points_get(const struct points *p, size_t number)
{
	BUG_ON(!number || number > p->all.count);
	return &p->all.at[number - 1];
}
