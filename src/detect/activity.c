/* SPDX-License-Identifier: GPL-2.0-or-later */
/* activity.c - see activity.h.
 *
 * A table of recently stored lines tells which store a flush writes back.  The table has no chains: a newer line
 * replaces an older one in the same slot.  This loses nothing important, because code flushes right after it stores
 * and only examples are needed. */
#include "detect/activity.h"

#include <string.h>

#include "base/line.h"
#include "base/mem.h"
#include "base/vec.h"

#define RECENT_LINES 4096u     /* a power of two */
#define LINES_OF_STORE_MAX 64u /* the rest of a longer store is not noted */

/* A line, with either its last store if no flush has followed it, or its last flush if no store has followed it.  0:
 * none. */
struct recent {
	uint64_t line;
	uint32_t store, flush;
	uint32_t thread;
};

struct activity {
	struct activity_site *at;
	uint32_t room;
	struct recent recent[RECENT_LINES];
	/* The context, thread and line of the last event if it was a flush. */
	uint32_t last_context, last_thread;
	uint64_t last_line;
	VEC_OF(bool) waiting; /* by thread: has flushed, or stored past the cache, since its last fence */
};

struct activity *activity_new(void)
{
	return mem_alloc(sizeof(struct activity));
}

void activity_free(struct activity *a)
{
	if (!a)
		return;
	free(a->at);
	vec_free(&a->waiting);
	free(a);
}

static struct activity_site *activity_site(struct activity *a, uint32_t context)
{
	if (context >= a->room) {
		uint32_t room = a->room ? a->room : 256;

		while (room <= context)
			room *= 2;
		a->at = mem_resize(a->at, room, sizeof(*a->at));
		memset(a->at + a->room, 0, (room - a->room) * sizeof(*a->at));
		a->room = room;
	}
	return &a->at[context];
}

static bool *thread_waiting(struct activity *a, uint32_t thread)
{
	while (a->waiting.count <= thread)
		vec_push(&a->waiting, false);
	return &a->waiting.at[thread];
}

static uint64_t line_of(const struct event *ev)
{
	return ev->file ? (uint64_t)ev->file << 48 | ev->offset / LINE_BYTES : ev->addr / LINE_BYTES;
}

static struct recent *recent_find(struct activity *a, uint64_t line)
{
	return &a->recent[(line ^ line >> 48) & (RECENT_LINES - 1)];
}

static void note_store(struct activity *a, const struct event *ev)
{
	uint64_t line = line_of(ev), end = (ev->offset + (ev->size ? ev->size : 1) - 1) / LINE_BYTES;
	uint64_t count = end - ev->offset / LINE_BYTES + 1;

	activity_site(a, ev->context)->changes = true;
	a->last_context = 0;
	if (ev->kind == BO_STORE_NONTEMPORAL || ev->kind == BO_STORE_LOCKED)
		*thread_waiting(a, ev->thread) = ev->kind == BO_STORE_NONTEMPORAL;
	for (uint64_t i = 0; i < count && i < LINES_OF_STORE_MAX; i++)
		*recent_find(a, line + i) =
			(struct recent){.line = line + i, .store = ev->context, .thread = ev->thread};
}

static void site_covers(struct activity_site *site, uint32_t store)
{
	for (unsigned i = 0; i < ACTIVITY_COVERED_MAX && site->covered[i] != store; i++)
		if (!site->covered[i]) {
			site->covered[i] = store;
			return;
		}
}

/* True if this flush continues a run: same context and thread as the last flush, and the next line. */
static bool flush_goes_on(const struct activity *a, const struct event *ev, uint64_t line)
{
	return a->last_context == ev->context && a->last_thread == ev->thread && line == a->last_line + 1;
}

static void note_flush(struct activity *a, const struct event *ev)
{
	struct activity_site *site = activity_site(a, ev->context);
	uint64_t line = line_of(ev);
	struct recent *recent = recent_find(a, line);
	bool known = recent->line == line && recent->thread == ev->thread;
	uint32_t again = known ? recent->flush : 0;

	if (!site->flushes)
		site->begin_line = line;
	else if (!flush_goes_on(a, ev, line))
		site->varies |= line != site->begin_line;
	*thread_waiting(a, ev->thread) = true;
	a->last_context = ev->context;
	a->last_thread = ev->thread;
	a->last_line = line;
	site->again = site->flushes && site->again != again ? 0 : again;
	if (!site->flushes || line < site->first_line)
		site->first_line = line;
	if (!site->flushes || line > site->last_line)
		site->last_line = line;
	site->flushes = true;
	if (known && recent->store)
		site_covers(site, recent->store);
	*recent = (struct recent){.line = line, .flush = ev->context, .thread = ev->thread};
}

static void note_fence(struct activity *a, const struct event *ev)
{
	struct activity_site *site = activity_site(a, ev->context);
	bool *waiting = thread_waiting(a, ev->thread);

	site->fences = true;
	site->awaited |= *waiting;
	*waiting = false;
	a->last_context = 0;
}

void activity_event(struct activity *a, const struct event *ev)
{
	switch (ev->type) {
	case EVENT_STORE:
		if (ev->file)
			note_store(a, ev);
		break;
	case EVENT_CLFLUSH:
	case EVENT_CLFLUSHOPT:
	case EVENT_CLWB:
	case EVENT_MSYNC:
	case EVENT_FILE_SYNC: note_flush(a, ev); break;
	case EVENT_SFENCE:
	case EVENT_MFENCE: note_fence(a, ev); break;
	case EVENT_LOCKED: *thread_waiting(a, ev->thread) = false; break;
	case EVENT_MAP:
	case EVENT_UNMAP:
	case EVENT_REMAP:
	case EVENT_FILE_WRITE:
	case EVENT_FILE_TRUNCATE:
	case EVENT_FILE_ALLOCATE:
	case EVENT_FILE_RENAME:
	case EVENT_FILE_UNLINK: activity_site(a, ev->context)->changes = true; break;
	default: break;
	}
}

uint32_t activity_room(const struct activity *a)
{
	return a->room;
}

const struct activity_site *activity_at(const struct activity *a, uint32_t context)
{
	const struct activity_site *site = context < a->room ? &a->at[context] : NULL;

	return site && (site->changes || site->flushes || site->fences) ? site : NULL;
}
