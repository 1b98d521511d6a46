/* SPDX-License-Identifier: GPL-2.0-or-later */
/* points.c - see points.h, whose rules are numbered. */
#include "detect/points.h"

#include "base/err.h"
#include "base/map.h"
#include "base/vec.h"
#include "detect/detector.h"

struct points {
	enum points_at at;
	VEC_OF(struct point) all;
	struct map numbers; /* (context, op) -> number */
	uint64_t visited;
	bool changed;            /* PM, since the last visit */
	VEC_OF(bool) streaming; /* by thread: in a sequence of non-temporal stores */
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
	vec_free(&p->streaming);
	map_free(&p->numbers);
	free(p);
}

static bool *thread_streaming(struct points *p, uint32_t thread)
{
	while (p->streaming.count <= thread)
		vec_push(&p->streaming, false);
	return &p->streaming.at[thread];
}

/* Rule 1 for stores: locked ones are fences, non-temporal ones count where a sequence of them begins. */
static bool store_persists(struct points *p, const struct event *ev)
{
	bool *streaming = thread_streaming(p, ev->thread);
	bool first = !*streaming;

	if (ev->kind == BO_STORE_NONTEMPORAL)
		*streaming = true;
	else if (ev->kind == BO_STORE_LOCKED)
		*streaming = false;
	return ev->kind == BO_STORE_LOCKED || (ev->kind == BO_STORE_NONTEMPORAL && first);
}

/* Rules 1 and 4: is the moment before this event of interest? */
static bool event_persists(struct points *p, const struct event *ev)
{
	switch (ev->type) {
	case EVENT_STORE:
		return ev->file && (store_persists(p, ev) || p->at == POINTS_STORE);
	case EVENT_CLFLUSH:
	case EVENT_CLFLUSHOPT:
	case EVENT_CLWB:
		if (!ev->file)
			return false;
		break;
	case EVENT_SFENCE:
	case EVENT_MFENCE:
	case EVENT_LOCKED:
	case EVENT_FILE_SYNC:
	case EVENT_MSYNC:
		break;
	case EVENT_UNMAP:
	case EVENT_EXIT:
	case EVENT_SIGNAL:
		return true;
	default:
		return false;
	}
	if (ev->thread < p->streaming.count)
		p->streaming.at[ev->thread] = false;
	return true;
}

/* Rule 2. */
static bool event_changes(const struct event *ev)
{
	switch (ev->type) {
	case EVENT_STORE:
		return ev->file != 0;
	case EVENT_FILE_WRITE:
	case EVENT_FILE_TRUNCATE:
	case EVENT_FILE_ALLOCATE:
	case EVENT_FILE_RENAME:
	case EVENT_FILE_UNLINK:
		return true;
	case EVENT_FILE:
		return ev->flags & BO_FILE_CREATED;
	default:
		return false;
	}
}

/* Rule 3. */
static size_t point_visit(struct points *p, uint32_t context, enum op op, uint64_t number, uint64_t *visit)
{
	uint64_t *found = map_put(&p->numbers, context, op);
	struct point *point;

	if (!*found) {
		vec_push(&p->all, ((struct point){.context = context, .op = op, .first = number}));
		*found = p->all.count;
	}
	point = &p->all.at[*found - 1];
	point->last = number;
	*visit = ++point->visits;
	p->visited++;
	p->changed = false;
	return *found;
}

size_t points_event(struct points *p, const struct event *ev, uint64_t number, uint64_t *visit)
{
	size_t point = 0;

	/* Asked of every event: it also follows the sequences. */
	if (event_persists(p, ev) && p->changed)
		point = point_visit(p, ev->context, op_of(ev), number, visit);
	if (event_changes(ev))
		p->changed = true;
	return point;
}

size_t points_end(struct points *p, uint64_t number, uint64_t *visit)
{
	return p->changed ? point_visit(p, 0, OP_COUNT, number + 1, visit) : 0;
}

enum points_at points_kind(const struct points *p)
{
	return p->at;
}

size_t points_count(const struct points *p)
{
	return p->all.count;
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

/* The detector has nothing to say while the recording is read: it works on crash states, afterwards. */
const struct detector detector_inject = {
	.name = "inject",
	.help = "crashes at every failure point, judged by recovery",
};
