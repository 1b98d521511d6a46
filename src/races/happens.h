/* SPDX-License-Identifier: GPL-2.0-or-later */
/* happens.h - happens-before: what a thread can rely on having happened, as C and C++ define it.
 *
 *     happens_event(&happens, ev, number);                     // every event of the program, in sequence
 *     struct stamp stamp = happens_stamp(&happens, thread, number);   // what happened before this event of the thread
 *     clock_drop(stamp.others);
 *
 * An event happens before the later ones of its thread.  Order between threads comes from EVENT_SYNC, from the start of
 * a thread or process, and from joining a thread:
 *
 *   atomics   A load synchronizes with the store that it reads, which is the latest one in the trace, if the store
 *             releases (or a release fence precedes it) and the load acquires (or an acquire fence follows it).
 *             Updates between the two do not break this; another store does, even one of the same thread (as in C++20
 *             and C23).
 *   calls     A call that releases an object is like an update that releases, one that acquires it like a load that
 *             acquires.
 *
 * A SYNC of an atomic access and the event of the access, which directly follows, are one action. */
#ifndef BLACKOUT_RACES_HAPPENS_H
#define BLACKOUT_RACES_HAPPENS_H

#include "base/map.h"
#include "races/clock.h"
#include "trace/trace.h"

struct happens_thread {
	struct times before; /* events of other threads that happened before its next event */
	struct clock *copy;  /* of `before`, if `copied` */
	bool copied;
	struct times relaxed; /* what its relaxed loads have read since: an acquire fence adds it */
	struct stamp fence;   /* of its last release fence; thread 0: none */
};

/* A release that waits for the end of its action. */
struct happens_release {
	uint64_t number; /* of the SYNC; 0: none */
	uint64_t object;
	uint32_t thread;
	enum bo_sync_act act;
	unsigned order; /* enum bo_order */
};

struct happens {
	VEC_OF(struct happens_thread) threads; /* by id */
	struct map objects;                    /* (process, address) or (file, offset) -> 1 + index in `released` */
	VEC_OF(struct stamp) released;         /* what one who acquires the object learns */
	struct happens_release release;
	VEC_OF(bool) processes; /* by number: has it had an event? */
	struct times forked;    /* what happened before the forks whose child has had no event yet */
	size_t forks;           /* their number */
};

/* Does an atomic store of this order (enum bo_order) release? */
static inline bool order_releases(unsigned order)
{
	return order == BO_ORDER_RELEASE || order == BO_ORDER_ACQ_REL || order == BO_ORDER_SEQ_CST;
}

void happens_init(struct happens *happens);
void happens_free(struct happens *happens);

void happens_event(struct happens *happens, const struct event *ev, uint64_t number);

/* All that happened before event `number` of the thread, and the event.  The caller drops the clock. */
struct stamp happens_stamp(struct happens *happens, uint32_t thread, uint64_t number);

/* The latest event of another thread that happened before the current event of `thread`. */
static inline uint64_t happens_at(const struct happens *happens, uint32_t thread, uint32_t other)
{
	return thread == other ? UINT64_MAX : times_at(&happens->threads.at[thread].before, other);
}

#endif
