/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "reference.h"

#include <linux/falloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define PAGE 4096u

/* Everything that a rule may use.  Event numbers start at 1. */
struct history {
	struct reference *r;
	const struct event *events;
	enum reference_platform platform;
	struct {
		bool known;
		uint64_t size;
		uint8_t bytes[REFERENCE_BYTES];
	} files[REFERENCE_FILES];
	unsigned now; /* number of the event that is taking effect */
	/* What is certain when the event has begun: its fence, if any, is done, but none of its own units is stored. */
	uint32_t certain;
};

/* A rule, applied to this history: a set that has one of `if_any` must have all of `then_all`. */
struct demand {
	uint32_t if_any;
	uint32_t then_all;
};

#define ALWAYS (UINT32_C(1) << 31) /* a bit that every set has */

struct demands {
	struct demand list[512];
	size_t count;
};

static bool is_flush(const struct event *ev)
{
	return ev->type == EVENT_CLWB || ev->type == EVENT_CLFLUSHOPT || ev->type == EVENT_CLFLUSH;
}

static bool is_fence(const struct event *ev)
{
	return ev->type == EVENT_SFENCE || ev->type == EVENT_MFENCE || ev->type == EVENT_LOCKED ||
	       (ev->type == EVENT_STORE && ev->kind == BO_STORE_LOCKED);
}

static void demand(struct demands *d, uint32_t if_any, uint32_t then_all)
{
	if (if_any && then_all)
		d->list[d->count++] = (struct demand){if_any, then_all};
}

/* The cached units of a line that were stored before an event. */
static uint32_t line_before(const struct reference *r, uint32_t file, uint64_t line, unsigned event)
{
	uint32_t set = 0;

	for (unsigned u = 0; u < r->unit_count; u++) {
		const struct reference_unit *unit = &r->units[u];

		if (unit->kind == REFERENCE_CACHED && unit->file == file && unit->word / 8 == line &&
		    unit->event < event)
			set |= UINT32_C(1) << u;
	}
	return set;
}

static uint32_t all_after(const struct reference *r, unsigned event)
{
	uint32_t set = 0;

	for (unsigned u = 0; u < r->unit_count; u++) {
		if (r->units[u].event > event)
			set |= UINT32_C(1) << u;
	}
	return set;
}

static uint32_t direct_before(const struct reference *r, uint32_t thread, unsigned event)
{
	uint32_t set = 0;

	for (unsigned u = 0; u < r->unit_count; u++) {
		const struct reference_unit *unit = &r->units[u];

		if (unit->kind == REFERENCE_DIRECT && unit->thread == thread && unit->event < event)
			set |= UINT32_C(1) << u;
	}
	return set;
}

/* Does a system call guarantee this unit? */
static bool syncs(const struct event *ev, const struct reference_unit *unit)
{
	uint64_t page = unit->word * 8 / PAGE;

	if (ev->type == EVENT_FILE_SYNC && ev->flags != BO_SYNC_SYNC_FILE_RANGE)
		return !ev->file || ev->file == unit->file;
	if (ev->type == EVENT_MSYNC && ev->flags & MS_SYNC && ev->size)
		return ev->file == unit->file && page >= ev->offset / PAGE &&
		       page <= (ev->offset + ev->size - 1) / PAGE;
	/* The kernel writes back bytes before it moves them. */
	if (ev->type == EVENT_FILE_ALLOCATE && ev->flags & (FALLOC_FL_COLLAPSE_RANGE | FALLOC_FL_INSERT_RANGE))
		return ev->file == unit->file && unit->word * 8 >= ev->offset;
	return false;
}

static void rule_order_in_line(const struct history *h, struct demands *d)
{
	for (unsigned u = 0; u < h->r->unit_count; u++) {
		const struct reference_unit *unit = &h->r->units[u];

		if (unit->kind == REFERENCE_CACHED)
			demand(d, UINT32_C(1) << u, line_before(h->r, unit->file, unit->word / 8, unit->event));
	}
}

static void rule_flush_then_fence(const struct history *h, unsigned point, struct demands *d)
{
	for (unsigned flush = 1; flush <= point; flush++) {
		const struct event *f = &h->events[flush - 1];

		for (unsigned fence = flush + 1; is_flush(f) && f->file && fence <= point; fence++) {
			const struct event *g = &h->events[fence - 1];

			if (is_fence(g) && g->thread == f->thread)
				demand(d, ALWAYS, line_before(h->r, f->file, f->offset / 64, flush));
		}
	}
}

static void rule_clflush(const struct history *h, unsigned point, struct demands *d)
{
	for (unsigned flush = 1; flush <= point; flush++) {
		const struct event *f = &h->events[flush - 1];

		if (f->type == EVENT_CLFLUSH && f->file)
			demand(d, all_after(h->r, flush), line_before(h->r, f->file, f->offset / 64, flush));
	}
}

static void rule_direct(const struct history *h, unsigned point, struct demands *d)
{
	for (unsigned fence = 1; fence <= point; fence++) {
		if (is_fence(&h->events[fence - 1]))
			demand(d, ALWAYS, direct_before(h->r, h->events[fence - 1].thread, fence));
	}
}

static void rule_sync(const struct history *h, unsigned point, struct demands *d)
{
	for (unsigned sync = 1; sync <= point; sync++) {
		for (unsigned u = 0; u < h->r->unit_count; u++) {
			if (h->r->units[u].event < sync && syncs(&h->events[sync - 1], &h->r->units[u]))
				demand(d, ALWAYS, UINT32_C(1) << u);
		}
	}
}

/* eADR: a store is on media once it has taken effect.  If the last store has several units, only some may be. */
static void rule_effect(const struct history *h, unsigned point, struct demands *d)
{
	uint32_t last = 0;

	for (unsigned u = 0; u < h->r->unit_count; u++) {
		if (h->r->units[u].kind != REFERENCE_CACHED)
			continue;
		if (h->r->units[u].event == point)
			last |= UINT32_C(1) << u;
		else
			demand(d, ALWAYS, UINT32_C(1) << u);
	}
	if (last && !(last & (last - 1)))
		demand(d, ALWAYS, last);
}

static bool set_obeys(uint32_t set, const struct demands *d, uint32_t universe)
{
	for (size_t i = 0; i < d->count; i++) {
		uint32_t then_all = d->list[i].then_all & universe;

		if ((set | ALWAYS) & d->list[i].if_any && (set & then_all) != then_all)
			return false;
	}
	return true;
}

/* Try all subsets for a crash after `point` events, with the units stored so far. */
static void point_solve(const struct history *h, unsigned point, struct reference_point *p)
{
	static struct demands d;
	uint32_t all = (UINT32_C(1) << h->r->unit_count) - 1;

	d.count = 0;
	*p = (struct reference_point){.overwritten = p->overwritten};
	for (unsigned u = 0; u < h->r->unit_count; u++) {
		if (!h->r->units[u].gone)
			p->universe |= UINT32_C(1) << u;
	}
	if (point) /* what is on media stays there */
		demand(&d, ALWAYS, h->r->points[point - 1].certain);
	if (h->platform == REFERENCE_ADR) {
		rule_order_in_line(h, &d);
		rule_flush_then_fence(h, point, &d);
		rule_clflush(h, point, &d);
	} else {
		rule_effect(h, point, &d);
	}
	rule_direct(h, point, &d);
	rule_sync(h, point, &d);
	p->sets = malloc(((size_t)all + 1) * sizeof(*p->sets));
	p->certain = p->universe;
	for (uint32_t set = 0; set <= all; set++) {
		if (set & ~p->universe || !set_obeys(set, &d, p->universe))
			continue;
		p->sets[p->set_count++] = set;
		p->certain &= set;
	}
}

/* Effects of events, byte by byte. */

/* The latest unit that has this byte, or -1. */
static int unit_on(const struct history *h, uint32_t file, uint64_t offset)
{
	for (int u = (int)h->r->unit_count - 1; u >= 0; u--) {
		const struct reference_unit *unit = &h->r->units[u];

		if (unit->file == file && unit->word == offset / 8 && unit->has[offset % 8])
			return u;
	}
	return -1;
}

/* A byte that does not change still matters if the current one could be lost when the new one could not. */
static bool byte_matters(const struct history *h, const struct event *ev, enum reference_kind kind, uint64_t offset,
			 uint8_t value)
{
	int u = unit_on(h, ev->file, offset);

	if (h->files[ev->file].bytes[offset] != value)
		return true;
	if (u < 0 || h->certain >> u & 1)
		return false;
	return h->r->units[u].kind != kind || (kind == REFERENCE_DIRECT && h->r->units[u].thread != ev->thread);
}

/* Does it change a byte that a crash may still lose? */
static void byte_overwrites(struct history *h, const struct event *ev, uint64_t offset, uint8_t value)
{
	int u = unit_on(h, ev->file, offset);

	if (ev->type != EVENT_STORE || u < 0 || h->certain >> u & 1 || h->r->units[u].kind == REFERENCE_WRITTEN)
		return;
	if (h->files[ev->file].bytes[offset] != value)
		h->r->points[h->now].overwritten |= UINT32_C(1) << u;
}

static void word_store(struct history *h, const struct event *ev, enum reference_kind kind, uint64_t word, uint64_t end)
{
	struct reference_unit unit = {
		.event = h->now, .file = ev->file, .thread = ev->thread, .word = word, .kind = kind};
	bool matters = false;

	for (uint64_t offset = word * 8; offset < word * 8 + 8; offset++) {
		if (offset < ev->offset || offset >= end)
			continue;
		unit.has[offset % 8] = true;
		unit.value[offset % 8] = ev->data[offset - ev->offset];
		byte_overwrites(h, ev, offset, unit.value[offset % 8]);
		matters |= byte_matters(h, ev, kind, offset, unit.value[offset % 8]);
	}
	if (!matters)
		return;
	if (h->r->unit_count == REFERENCE_UNITS) {
		h->r->overflow = true;
		return;
	}
	h->r->units[h->r->unit_count++] = unit;
	for (unsigned i = 0; i < 8; i++) {
		if (unit.has[i])
			h->files[ev->file].bytes[word * 8 + i] = unit.value[i];
	}
}

static void bytes_store(struct history *h, const struct event *ev, enum reference_kind kind, uint64_t end)
{
	for (uint64_t word = ev->offset / 8; word * 8 < end; word++)
		word_store(h, ev, kind, word, end);
}

static void event_store(struct history *h, const struct event *ev)
{
	uint64_t end = ev->offset + ev->size;

	if (!ev->file)
		return;
	if (h->files[ev->file].known && end > h->files[ev->file].size)
		end = h->files[ev->file].size;
	bytes_store(h, ev, ev->kind == BO_STORE_NONTEMPORAL ? REFERENCE_DIRECT : REFERENCE_CACHED, end);
}

static void event_write(struct history *h, const struct event *ev)
{
	if (h->files[ev->file].size < ev->offset + ev->size)
		h->files[ev->file].size = ev->offset + ev->size;
	bytes_store(h, ev, REFERENCE_WRITTEN, ev->offset + ev->size);
}

static void byte_lose(const struct history *h, struct reference_unit *unit, unsigned i)
{
	if (unit->has[i])
		unit->lost[i] = h->now;
	unit->has[i] = false;
}

static void bytes_zero(struct history *h, uint32_t file, uint64_t from, uint64_t to)
{
	if (to > REFERENCE_BYTES)
		to = REFERENCE_BYTES;
	if (from < to)
		memset(h->files[file].bytes + from, 0, to - from);
	for (unsigned u = 0; u < h->r->unit_count; u++) {
		struct reference_unit *unit = &h->r->units[u];
		bool had = false, has = false;

		for (unsigned i = 0; i < 8; i++) {
			had |= unit->has[i];
			if (unit->file == file && unit->word * 8 + i >= from && unit->word * 8 + i < to)
				byte_lose(h, unit, i);
			has |= unit->has[i];
		}
		if (had && !has)
			unit->gone = h->now;
	}
}

static void event_truncate(struct history *h, const struct event *ev)
{
	bytes_zero(h, ev->file, ev->size, REFERENCE_BYTES);
	h->files[ev->file].known = true;
	h->files[ev->file].size = ev->size;
}

static void event_shift(struct history *h, uint32_t file, uint64_t from, uint64_t to)
{
	uint8_t old[2 * REFERENCE_BYTES] = {0};
	uint64_t low = from < to ? from : to;

	memcpy(old, h->files[file].bytes, REFERENCE_BYTES);
	for (uint64_t offset = low; offset < REFERENCE_BYTES; offset++)
		h->files[file].bytes[offset] = offset < to ? 0 : old[offset - to + from];
	h->files[file].size += to - from;
	/* They are on media; the bytes at their old place no longer belong to them. */
	for (unsigned u = 0; u < h->r->unit_count; u++) {
		for (unsigned i = 0; h->r->units[u].file == file && h->r->units[u].word * 8 >= low && i < 8; i++)
			byte_lose(h, &h->r->units[u], i);
	}
}

static void event_allocate(struct history *h, const struct event *ev)
{
	uint64_t end = ev->offset + ev->size, size = h->files[ev->file].size;

	if (ev->flags & FALLOC_FL_COLLAPSE_RANGE)
		event_shift(h, ev->file, end, ev->offset);
	else if (ev->flags & FALLOC_FL_INSERT_RANGE)
		event_shift(h, ev->file, ev->offset, end);
	else if (ev->flags & (FALLOC_FL_PUNCH_HOLE | FALLOC_FL_ZERO_RANGE))
		bytes_zero(h, ev->file, ev->offset, end);
	if (!ev->flags || ev->flags == FALLOC_FL_ZERO_RANGE)
		h->files[ev->file].size = size > end ? size : end;
}

/* A file that is announced again with another size was truncated meanwhile. */
static void event_file(struct history *h, const struct event *ev)
{
	bytes_zero(h, ev->file, ev->size, REFERENCE_BYTES);
	h->files[ev->file].known = true;
	h->files[ev->file].size = ev->size;
	memset(h->files[ev->file].bytes, 0, REFERENCE_BYTES);
}

static void event_content(struct history *h, const struct event *ev)
{
	for (uint64_t i = 0; i < ev->size; i++) {
		if (ev->offset + i < h->files[ev->file].size)
			h->files[ev->file].bytes[ev->offset + i] = ev->data[i];
	}
}

/* Compute what is certain once the event has begun, before it stores anything. */
static void event_begin(struct history *h)
{
	struct reference_point begun = {0};

	point_solve(h, h->now, &begun);
	h->certain = begun.certain;
	free(begun.sets);
}

static void event_effect(struct history *h, const struct event *ev)
{
	switch (ev->type) {
	case EVENT_STORE:
		event_begin(h);
		event_store(h, ev);
		break;
	case EVENT_FILE_WRITE:
		event_begin(h);
		event_write(h, ev);
		break;
	case EVENT_FILE_TRUNCATE: event_truncate(h, ev); break;
	case EVENT_FILE_ALLOCATE: event_allocate(h, ev); break;
	case EVENT_FILE: event_file(h, ev); break;
	case EVENT_CONTENT: event_content(h, ev); break;
	default: break;
	}
}

struct reference *reference_run(const struct event *events, size_t count, enum reference_platform platform)
{
	static struct history h;

	memset(&h, 0, sizeof(h));
	h.r = calloc(1, sizeof(*h.r));
	h.events = events;
	h.platform = platform;
	h.r->point_count = count + 1;
	point_solve(&h, 0, &h.r->points[0]);
	for (unsigned i = 1; i <= count && !h.r->overflow; i++) {
		h.now = i;
		event_effect(&h, &events[i - 1]);
		point_solve(&h, i, &h.r->points[i]);
	}
	return h.r;
}

void reference_free(struct reference *reference)
{
	for (size_t i = 0; i < reference->point_count; i++)
		free(reference->points[i].sets);
	free(reference);
}
