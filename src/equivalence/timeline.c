/* SPDX-License-Identifier: GPL-2.0-or-later */
/* timeline.c - see timeline.h. */
#include "equivalence/timeline.h"

#include <stdlib.h>

#include "base/vec.h"

struct timeline {
	uint64_t events;
	VEC_OF(struct operation) operations; /* in the sequence of their begins */
	VEC_OF(size_t) open;
	VEC_OF(size_t) left; /* by operation: the first index in the list that was not begun, once it has begun */
	VEC_OF(struct group) groups;
	VEC_OF(uint64_t) marks; /* events of all begins and ends */
};

struct timeline *timeline_new(void)
{
	return mem_alloc(sizeof(struct timeline));
}

void timeline_free(struct timeline *t)
{
	if (!t)
		return;
	vec_free(&t->operations);
	vec_free(&t->open);
	vec_free(&t->left);
	vec_free(&t->groups);
	vec_free(&t->marks);
	free(t);
}

/* Adding */

static void operation_begin(struct timeline *t, int64_t index)
{
	size_t number = t->operations.count, left = number ? t->left.at[number - 1] : 0;

	if (!t->open.count)
		vec_push(&t->groups, ((struct group){.first = number, .begin = t->events}));
	t->groups.at[t->groups.count - 1].count++;
	vec_push(&t->open, number);
	vec_push(&t->operations, ((struct operation){.index = index, .begin = t->events}));
	vec_push(&t->left, index >= 0 && (size_t)index >= left ? (size_t)index + 1 : left);
	vec_push(&t->marks, t->events);
}

static void open_end(struct timeline *t, size_t at)
{
	t->operations.at[t->open.at[at]].end = t->events;
	t->groups.at[t->groups.count - 1].end = t->events;
	for (; at + 1 < t->open.count; at++)
		t->open.at[at] = t->open.at[at + 1];
	t->open.count--;
	vec_push(&t->marks, t->events);
}

/* An end without a begin belongs to a call that was open when a followed process was forked. */
static void operation_end(struct timeline *t, int64_t index)
{
	for (size_t i = 0; i < t->open.count; i++)
		if (t->operations.at[t->open.at[i]].index == index) {
			open_end(t, i);
			return;
		}
}

void timeline_add(struct timeline *t, const struct event *ev)
{
	t->events++;
	if (ev->type == EVENT_OPERATION_BEGIN)
		operation_begin(t, (int64_t)ev->value);
	else if (ev->type == EVENT_OPERATION_END)
		operation_end(t, (int64_t)ev->value);
}

void timeline_end(struct timeline *t)
{
	while (t->open.count)
		open_end(t, 0);
}

/* Asking */

/* How many marks are there up to this event? */
static size_t marks_until(const struct timeline *t, uint64_t event)
{
	size_t low = 0, high = t->marks.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (t->marks.at[middle] <= event)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* How many groups have begun? */
static size_t groups_until(const struct timeline *t, uint64_t event)
{
	size_t low = 0, high = t->groups.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (t->groups.at[middle].begin <= event)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

struct place timeline_place(const struct timeline *t, uint64_t event)
{
	size_t begun = groups_until(t, event);
	struct place place = {.event = event, .number = marks_until(t, event), .group = begun, .index = -1};
	const struct group *g = begun ? &t->groups.at[begun - 1] : NULL;
	size_t latest;

	if (!g)
		return place;
	latest = g->first;
	place.inside = event < g->end;
	place.group -= place.inside;
	for (size_t i = g->first; i < g->first + g->count && t->operations.at[i].begin <= event; i++) {
		place.left = t->left.at[i];
		if (place.inside ? t->operations.at[i].end > event
				 : t->operations.at[i].end >= t->operations.at[latest].end)
			latest = i;
	}
	place.index = t->operations.at[latest].index;
	return place;
}

size_t timeline_groups(const struct timeline *t)
{
	return t->groups.count;
}

const struct group *timeline_group(const struct timeline *t, size_t group)
{
	return &t->groups.at[group];
}

size_t timeline_operations(const struct timeline *t)
{
	return t->operations.count;
}

const struct operation *timeline_operation(const struct timeline *t, size_t number)
{
	return &t->operations.at[number];
}

struct border timeline_border(const struct timeline *t, size_t border)
{
	return (struct border){
		.from = border ? t->groups.at[border - 1].end : 0,
		.to = border < t->groups.count ? t->groups.at[border].begin : t->events,
	};
}
