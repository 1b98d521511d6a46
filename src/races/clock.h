/* SPDX-License-Identifier: GPL-2.0-or-later */
/* clock.h - which events of each thread happened before a moment.
 *
 * The clock of a thread is the number of its latest event.  So "event n of thread t happened before" is a comparison:
 * n <= times_at(&times, t).  Everything here is closed: if it contains an event, it contains all that happened before
 * that event.
 *
 *     struct times     a set that grows: for each thread, its latest event in the set
 *     struct clock     a copy of such a set that never changes; counted, because many stores share it
 *     struct stamp     all that happened before event `number` of `thread`, and the event itself */
#ifndef BLACKOUT_RACES_CLOCK_H
#define BLACKOUT_RACES_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

struct clock {
	size_t users;
	size_t count;
	uint64_t at[]; /* by thread; later threads have 0 */
};

struct times {
	VEC_OF(uint64_t) at; /* by thread; later threads have 0 */
};

/* `others` are the events of other threads; NULL: none.  Thread 0: the stamp is `others` alone. */
struct stamp {
	uint64_t number;
	struct clock *others;
	uint32_t thread;
};

/* A copy with one user; NULL if the set is empty. */
struct clock *clock_copy(const struct times *times);
struct clock *clock_use(struct clock *clock); /* one more user; clock may be NULL */
void clock_drop(struct clock *clock);         /* one user less */

static inline uint64_t clock_at(const struct clock *clock, uint32_t thread)
{
	return clock && thread < clock->count ? clock->at[thread] : 0;
}

static inline uint64_t times_at(const struct times *times, uint32_t thread)
{
	return thread < times->at.count ? times->at.at[thread] : 0;
}

static inline uint64_t stamp_at(const struct stamp *stamp, uint32_t thread)
{
	return thread == stamp->thread ? stamp->number : clock_at(stamp->others, thread);
}

/* Add to a set.  Return whether that changed it. */
bool times_join(struct times *times, const struct stamp *stamp);
bool times_join_times(struct times *times, const struct times *more);
void times_free(struct times *times);

#endif
