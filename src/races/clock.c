/* SPDX-License-Identifier: GPL-2.0-or-later */
/* clock.c - see clock.h. */
#include "races/clock.h"

#include <string.h>

struct clock *clock_copy(const struct times *times)
{
	size_t count = times->at.count;
	struct clock *clock;

	while (count && !times->at.at[count - 1])
		count--;
	if (!count)
		return NULL;
	clock = mem_alloc(sizeof(*clock) + count * sizeof(*clock->at));
	clock->users = 1;
	clock->count = count;
	memcpy(clock->at, times->at.at, count * sizeof(*clock->at));
	return clock;
}

struct clock *clock_use(struct clock *clock)
{
	if (clock)
		clock->users++;
	return clock;
}

void clock_drop(struct clock *clock)
{
	if (clock && !--clock->users)
		free(clock);
}

static bool times_raise(struct times *times, size_t thread, uint64_t number)
{
	while (times->at.count <= thread)
		vec_push(&times->at, 0);
	if (times->at.at[thread] >= number)
		return false;
	times->at.at[thread] = number;
	return true;
}

static bool times_raise_all(struct times *times, const uint64_t *at, size_t count)
{
	bool changed = false;

	for (size_t i = 0; i < count; i++)
		if (at[i])
			changed |= times_raise(times, i, at[i]);
	return changed;
}

bool times_join(struct times *times, const struct stamp *stamp)
{
	bool changed = false;

	if (stamp->thread) {
		if (times_at(times, stamp->thread) >= stamp->number)
			return false; /* because the set is closed */
		changed = times_raise(times, stamp->thread, stamp->number);
	}
	if (stamp->others)
		changed |= times_raise_all(times, stamp->others->at, stamp->others->count);
	return changed;
}

bool times_join_times(struct times *times, const struct times *more)
{
	return times_raise_all(times, more->at.at, more->at.count);
}

void times_free(struct times *times)
{
	vec_free(&times->at);
}
