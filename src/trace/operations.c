/* SPDX-License-Identifier: GPL-2.0-or-later */
/* operations.c - see operations.h. */
#include "trace/operations.h"

#include "base/vec.h"

/* The state from an event on, until the next change. */
struct change {
	uint64_t event;
	uint64_t completed;
	int64_t last;      /* completed last */
	size_t first_open; /* in `lists` */
	size_t open_count;
};

struct open_operation {
	int64_t index;
	uint64_t number;  /* that many have begun, with it */
	bool has_changed; /* PM, since it began */
};

struct operations {
	uint64_t events;
	VEC_OF(struct change) changes;
	VEC_OF(int64_t) lists; /* the open operations of each change */
	VEC_OF(struct open_operation) open;
	struct operations_summary summary;
	int64_t last;
};

struct operations *operations_open(void)
{
	struct operations *o = mem_alloc(sizeof(*o));

	o->last = -1;
	return o;
}

void operations_close(struct operations *o)
{
	if (!o)
		return;
	vec_free(&o->changes);
	vec_free(&o->lists);
	vec_free(&o->open);
	free(o);
}

static void change_note(struct operations *o)
{
	struct change change = {
		.event = o->events,
		.completed = o->summary.completed,
		.last = o->last,
		.first_open = o->lists.count,
		.open_count = o->open.count,
	};

	for (size_t i = 0; i < o->open.count; i++)
		vec_push(&o->lists, o->open.at[i].index);
	vec_push(&o->changes, change);
}

/* An end without a begin belongs to a call that was open when a followed process was forked. */
static void operation_end(struct operations *o, int64_t index)
{
	size_t at = 0;

	while (at < o->open.count && o->open.at[at].index != index)
		at++;
	if (at == o->open.count)
		return;
	for (; at + 1 < o->open.count; at++)
		o->open.at[at] = o->open.at[at + 1];
	o->open.count--;
	o->summary.completed++;
	o->last = index;
}

static bool changes_pm(const struct event *ev)
{
	switch (ev->type) {
	case EVENT_STORE: return ev->file != 0;
	case EVENT_FILE_WRITE:
	case EVENT_FILE_TRUNCATE:
	case EVENT_FILE_ALLOCATE:
	case EVENT_FILE_RENAME:
	case EVENT_FILE_UNLINK: return true;
	default: return false;
	}
}

static void pm_change(struct operations *o)
{
	o->summary.outside += !o->open.count && o->summary.begun;
	for (size_t i = 0; i < o->open.count; i++) {
		o->summary.changing += !o->open.at[i].has_changed;
		o->open.at[i].has_changed = true;
	}
	o->summary.last_changing |= o->open.count && o->open.at[o->open.count - 1].number == o->summary.begun;
}

void operations_add(struct operations *o, const struct event *ev)
{
	o->events++;
	switch (ev->type) {
	case EVENT_OPERATION_BEGIN:
		o->summary.begun++;
		o->summary.last_changing = false;
		vec_push(&o->open, ((struct open_operation){.index = (int64_t)ev->value, .number = o->summary.begun}));
		change_note(o);
		break;
	case EVENT_OPERATION_END:
		operation_end(o, (int64_t)ev->value);
		change_note(o);
		break;
	case EVENT_OPERATION_NOTE: o->summary.notes[ev->flags]++; break;
	default:
		if (changes_pm(ev))
			pm_change(o);
	}
}

struct operations_place operations_at(const struct operations *o, uint64_t event)
{
	size_t low = 0, high = o->changes.count;
	const struct change *c;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (o->changes.at[middle].event <= event)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return (struct operations_place){.index = -1};
	c = &o->changes.at[low - 1];
	return (struct operations_place){
		.inside = c->open_count > 0,
		.index = c->open_count ? o->lists.at[c->first_open] : c->last,
		.completed = c->completed,
		.open = c->open_count ? &o->lists.at[c->first_open] : NULL,
		.open_count = c->open_count,
	};
}

struct operations_summary operations_summary(const struct operations *o)
{
	return o->summary;
}
