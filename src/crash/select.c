/* SPDX-License-Identifier: GPL-2.0-or-later */
/* select.c - see select.h. */
#include "crash/select.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/map.h"
#include "base/vec.h"

/* One element of --points. */
struct listed_point {
	uint64_t low, high; /* numbers; 0: a name */
	const char *name;   /* a function, or file:line */
	bool met;
};

enum answer { UNASKED, YES, NO };

struct select {
	struct select_options options;
	const struct points *points;
	char *list; /* copy of --points, which the names in `listed` point into */
	VEC_OF(struct listed_point) listed;
	uint8_t *wanted; /* by point: enum answer */
	bool *taken;     /* by point */
	struct symbols *symbols;
	struct map suspects; /* contexts of callers */
	unsigned round;

	/* --after */
	VEC_OF(uint8_t) within; /* by context: enum answer */
	VEC_OF(bool) entered;   /* by thread */
	bool returned, ever_entered;
	uint64_t start; /* number of the event after which the function had returned */
};

/* Options */

static int listed_add(struct select *s, char *word, struct err *err)
{
	struct listed_point one = {0};
	char *end;

	if (!isdigit((unsigned char)*word)) {
		one.name = word;
	} else {
		one.low = one.high = strtoull(word, &end, 10);
		if (*end == '-')
			one.high = strtoull(end + 1, &end, 10);
		if (*end || !one.low || one.high < one.low || one.low > points_unique(s->points)) {
			err_set(err, "--points: '%s' is none of the %zu failure points of this run", word,
				points_unique(s->points));
			return err_status(err, ERR_USAGE);
		}
	}
	vec_push(&s->listed, one);
	return 0;
}

static int listed_parse(struct select *s, struct err *err)
{
	char *save, *word;

	s->list = strdup(s->options.points);
	for (word = strtok_r(s->list, ",", &save); word; word = strtok_r(NULL, ",", &save))
		if (listed_add(s, word, err) < 0)
			return -1;
	if (s->listed.count)
		return 0;
	err_set(err, "--points names no failure point");
	return err_status(err, ERR_USAGE);
}

int select_new(struct select **select, const struct select_options *options, const struct points *points,
	       struct err *err)
{
	struct select *s = mem_alloc(sizeof(*s));

	s->options = *options;
	s->points = points;
	s->wanted = mem_alloc(points_count(points) + 2);
	s->taken = mem_alloc(points_count(points) + 2);
	s->symbols = symbols_open(NULL);
	s->returned = !options->after;
	for (size_t i = 0; i < options->suspect_count; i++)
		if (options->suspects[i])
			*map_put(&s->suspects, options->suspects[i], 0) = 1;
	if (options->points && listed_parse(s, err) < 0) {
		select_free(s);
		return -1;
	}
	*select = s;
	return 0;
}

void select_free(struct select *s)
{
	if (!s)
		return;
	symbols_close(s->symbols);
	vec_free(&s->listed);
	vec_free(&s->within);
	vec_free(&s->entered);
	map_free(&s->suspects);
	free(s->wanted);
	free(s->taken);
	free(s->list);
	free(s);
}

void select_round(struct select *s, unsigned round)
{
	s->round = round;
	s->entered.count = 0;
	s->returned = !s->options.after;
}

/* Names on stacks */

/* Does the function have this name, or is this the last part of its scoped name? */
static bool is_function(const char *function, const char *name)
{
	size_t length, want = strlen(name);

	if (!function)
		return false;
	length = strlen(function);
	if (length < want || strcmp(function + length - want, name))
		return false;
	return length == want || (length > want + 1 && !memcmp(function + length - want - 2, "::", 2));
}

static bool is_line(const struct symbols_frame *frame, const char *name)
{
	const char *colon = strrchr(name, ':');
	size_t length;

	if (!colon || !frame->file || !isdigit((unsigned char)colon[1]))
		return false;
	length = (size_t)(colon - name);
	return strlen(frame->file) == length && !memcmp(frame->file, name, length) &&
	       strtoul(colon + 1, NULL, 10) == frame->line;
}

static bool stack_has(struct select *s, const struct trace *trace, uint32_t context, const char *name)
{
	const struct symbols_frame *const *frames;
	size_t count = symbols_stack(s->symbols, trace, context, &frames);

	for (size_t i = 0; i < count; i++)
		if (is_function(frames[i]->function, name) || is_line(frames[i], name))
			return true;
	return false;
}

/* --after */

static bool context_within(struct select *s, const struct trace *trace, uint32_t context)
{
	while (s->within.count <= context)
		vec_push(&s->within, UNASKED);
	if (s->within.at[context] == UNASKED)
		s->within.at[context] = stack_has(s, trace, context, s->options.after) ? YES : NO;
	return s->within.at[context] == YES;
}

void select_event(struct select *s, const struct trace *trace, const struct event *ev, uint64_t number)
{
	bool within;

	if (!s->options.after || s->returned || !ev->context)
		return;
	within = context_within(s, trace, ev->context);
	while (s->entered.count <= ev->thread)
		vec_push(&s->entered, false);
	if (within) {
		s->ever_entered = true;
	} else if (s->entered.at[ev->thread]) {
		s->returned = true;
		s->start = number;
	}
	s->entered.at[ev->thread] = within;
}

/* --points */

static bool point_is_wanted(struct select *s, const struct trace *trace, size_t point)
{
	const struct point *p = points_get(s->points, point);
	bool wanted = false;

	if (!s->options.points)
		return true;
	if (s->wanted[point] == UNASKED) {
		for (size_t i = 0; i < s->listed.count; i++) {
			struct listed_point *one = &s->listed.at[i];
			bool meets = one->name ? stack_has(s, trace, p->context, one->name)
					       : p->shown >= one->low && p->shown <= one->high;

			one->met |= meets;
			wanted |= meets;
		}
		s->wanted[point] = wanted ? YES : NO;
	}
	return s->wanted[point] == YES;
}

/* --visits */

static bool visit_is_wanted(uint64_t visit, uint64_t visits, uint64_t limit)
{
	if (limit >= visits || visit == 1)
		return true;
	if (limit == 1)
		return false;
	/* The i-th chosen visit, from 0, is 1 + i * (visits - 1) / (limit - 1), rounded down.  Is there an i for this
	 * visit? */
	uint64_t i = ((visit - 1) * (limit - 1) + visits - 2) / (visits - 1);

	return i < limit && 1 + i * (visits - 1) / (limit - 1) == visit;
}

/* --budget */

/* Did another detector report something in the point's function, as called from this caller, or in its caller? */
static bool point_is_suspect(const struct select *s, const struct trace *trace, size_t point)
{
	uint32_t caller;

	if (!s->suspects.count)
		return false;
	caller = trace_context_parent(trace, points_get(s->points, point)->context);
	return map_get(&s->suspects, caller, 0) || map_get(&s->suspects, trace_context_parent(trace, caller), 0);
}

static bool point_is_in_round(struct select *s, const struct trace *trace, size_t point)
{
	static const uint8_t order[SELECT_ROUNDS - 1] = {0, 4, 2, 6, 1, 5, 3, 7};

	if (s->options.rounds <= 1)
		return true;
	if (point_is_suspect(s, trace, point))
		return s->round == 0;
	return s->round > 0 && point % (SELECT_ROUNDS - 1) == order[s->round - 1];
}

bool select_takes(struct select *s, const struct trace *trace, size_t point, uint64_t visit)
{
	bool wanted;

	if (!s->returned || point > points_count(s->points))
		return false;
	wanted = visit_is_wanted(visit, points_get(s->points, point)->visits, s->options.visits);
	/* The first visit may have come before --after's function returned. */
	if (s->options.after && !s->taken[point])
		wanted = true;
	if (!wanted || !point_is_wanted(s, trace, point) || !point_is_in_round(s, trace, point))
		return false;
	s->taken[point] = true;
	return true;
}

bool select_returned(const struct select *s)
{
	return s->returned;
}

uint64_t select_start(const struct select *s)
{
	return s->start;
}

uint64_t select_last(const struct select *s)
{
	uint64_t last = 0;

	for (size_t i = 1; i <= points_count(s->points); i++) {
		const struct point *point = points_get(s->points, i);
		uint64_t event = s->options.visits > 1 || s->options.after ? point->last : point->first;

		last = event > last ? event : last;
	}
	return last;
}

int select_check_after(const struct select *s, struct err *err)
{
	if (!s->options.after || s->returned)
		return 0;
	err_set(err, "--after: %s %s", s->options.after,
		s->ever_entered ? "has not returned before persistent memory was used for the last time"
				: "was never running when persistent memory was used");
	return err_status(err, ERR_USAGE);
}

int select_check(const struct select *s, struct err *err)
{
	if (select_check_after(s, err) < 0)
		return -1;
	for (size_t i = 0; i < s->listed.count; i++)
		if (s->listed.at[i].name && !s->listed.at[i].met) {
			err_set(err, "--points: no failure point has '%s' on its stack", s->listed.at[i].name);
			return err_status(err, ERR_USAGE);
		}
	return 0;
}
