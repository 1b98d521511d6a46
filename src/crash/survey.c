/* SPDX-License-Identifier: GPL-2.0-or-later */
/* survey.c - see survey.h. */
#include "crash/survey.h"

#include <stdlib.h>

#include "base/mem.h"

struct survey *survey_new(enum points_at at)
{
	struct survey *s = mem_alloc(sizeof(*s));

	s->points = points_new(at);
	s->origin = origin_new();
	s->final = content_new();
	return s;
}

void survey_free(struct survey *s)
{
	if (!s)
		return;
	points_free(s->points);
	origin_free(s->origin);
	content_free(s->final);
	free(s);
}

void survey_event(struct survey *s, const struct event *ev, uint64_t number)
{
	uint64_t visit;

	s->events = number;
	points_event(s->points, ev, number, &visit);
	if (origin_wants(ev))
		origin_apply(s->origin, ev);
	content_apply(s->final, ev);
}

void survey_end(struct survey *s)
{
	uint64_t visit;

	points_end(s->points, s->events, &visit);
}
