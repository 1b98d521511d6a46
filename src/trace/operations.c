/* SPDX-License-Identifier: GPL-2.0-or-later */
/* operations.c - see operations.h. */
#include "trace/operations.h"

#include "base/vec.h"

struct open_operation {
	int64_t index;
	uint64_t number;  /* that many have begun, with it */
	bool has_changed; /* PM, since it began */
};

struct operations {
	VEC_OF(struct open_operation) open;
	struct operations_summary summary;
};

struct operations *operations_open(void)
{
	return mem_alloc(sizeof(struct operations));
}

void operations_close(struct operations *o)
{
	if (!o)
		return;
	vec_free(&o->open);
	free(o);
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
	switch (ev->type) {
	case EVENT_OPERATION_BEGIN:
		o->summary.begun++;
		o->summary.last_changing = false;
		vec_push(&o->open, ((struct open_operation){.index = (int64_t)ev->value, .number = o->summary.begun}));
		break;
	case EVENT_OPERATION_END: operation_end(o, (int64_t)ev->value); break;
	case EVENT_OPERATION_NOTE: o->summary.notes[ev->flags]++; break;
	default:
		if (changes_pm(ev))
			pm_change(o);
	}
}

struct operations_summary operations_summary(const struct operations *o)
{
	return o->summary;
}
