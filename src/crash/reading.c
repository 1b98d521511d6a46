/* SPDX-License-Identifier: GPL-2.0-or-later */
/* reading.c - see reading.h. */
#include "crash/reading.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/vec.h"

struct reading {
	struct trace *trace;
	struct image *image;
	uint64_t number;
	struct event next; /* the event that reading_look returned, if no event is kept */
	bool has_next, ended;
	VEC_OF(struct event) kept; /* events from `first` on are ahead; we own their data */
	size_t first;
	size_t bytes;
};

int reading_open(struct reading **reading, const char *dir, const struct platform *platform,
		 const struct origin *origin, struct err *err)
{
	struct reading *r = mem_alloc(sizeof(*r));

	if (trace_open(&r->trace, dir, err) < 0) {
		free(r);
		return -1;
	}
	r->image = image_new(platform, origin);
	*reading = r;
	return 0;
}

void reading_close(struct reading *r)
{
	if (!r)
		return;
	for (size_t i = r->first; i < r->kept.count; i++)
		free((void *)r->kept.at[i].data);
	vec_free(&r->kept);
	image_free(r->image);
	trace_close(r->trace);
	free(r);
}

struct image *reading_image(struct reading *r)
{
	return r->image;
}

struct trace *reading_trace(struct reading *r)
{
	return r->trace;
}

uint64_t reading_number(const struct reading *r)
{
	return r->number;
}

size_t reading_kept(const struct reading *r)
{
	return r->bytes;
}

static bool is_keeping(const struct reading *r)
{
	return r->first < r->kept.count;
}

int reading_look(struct reading *r, const struct event **ev, struct err *err)
{
	int more;

	if (is_keeping(r)) {
		*ev = &r->kept.at[r->first];
		return 1;
	}
	if (!r->has_next) {
		more = r->ended ? 0 : trace_next(r->trace, &r->next, err);
		r->ended = more <= 0;
		if (more <= 0)
			return more;
		r->has_next = true;
	}
	*ev = &r->next;
	return 1;
}

void reading_go(struct reading *r)
{
	struct event *ev;

	BUG_ON(!is_keeping(r) && !r->has_next);
	ev = is_keeping(r) ? &r->kept.at[r->first] : &r->next;
	image_apply(r->image, ev);
	r->number++;
	if (!is_keeping(r)) {
		r->has_next = false;
		return;
	}
	r->bytes -= sizeof(*ev) + (ev->data ? ev->size : 0);
	free((void *)ev->data);
	if (++r->first == r->kept.count)
		r->first = r->kept.count = 0;
}

int reading_to(struct reading *r, uint64_t number, struct err *err)
{
	const struct event *ev;
	int more = 1;

	while (r->number < number && (more = reading_look(r, &ev, err)) > 0)
		reading_go(r);
	return more < 0 ? -1 : 0;
}

/* Keep a copy of an event whose data belongs to the reader. */
static void event_keep(struct reading *r, const struct event *ev)
{
	struct event copy = *ev;

	if (ev->data) {
		copy.data = memcpy(mem_alloc(ev->size + 1), ev->data, ev->size);
		r->bytes += ev->size;
	}
	r->bytes += sizeof(copy);
	vec_push(&r->kept, copy);
}

int reading_ahead(struct reading *r, size_t distance, const struct event **ev, struct err *err)
{
	struct event next;
	int more;

	if (r->has_next) {
		event_keep(r, &r->next);
		r->has_next = false;
	}
	while (r->kept.count - r->first < distance) {
		more = r->ended ? 0 : trace_next(r->trace, &next, err);
		r->ended = more <= 0;
		if (more <= 0)
			return more;
		event_keep(r, &next);
	}
	*ev = &r->kept.at[r->first + distance - 1];
	return 1;
}
