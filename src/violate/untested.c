/* SPDX-License-Identifier: GPL-2.0-or-later */
/* untested.c - without a recovery command, invariants are only inferred and counted. */
#include <inttypes.h>

#include "crash/reading.h"
#include "violate/violate_in.h"

/* Find the violations on one platform. */
static int platform_walk(struct violate *v, const struct campaign_options *o, size_t platform,
			 const struct survey *survey, struct err *err)
{
	struct targets targets = {.each = violate_instances(o)};
	struct violations found = {0};
	struct reading *reading;
	const struct event *ev;
	struct walk walk;
	int more = 1;

	if (reading_open(&reading, o->dir, o->platforms[platform], survey->origin, err) < 0)
		return -1;
	walk_begin(&walk, v->invariants, reading_trace(reading));
	while (more > 0 && !stop_asked(&o->stop)) {
		struct image *image = reading_image(reading);

		more = reading_look(reading, &ev, err);
		if (more >= 0 && walk_stop(&walk, image_model(image), more ? ev : NULL, false) &&
		    targets_wants(&targets, walk.code)) {
			const struct crash_context crash = {.platform = o->platforms[platform],
							    .event = reading_number(reading)};
			struct moment *moment = moment_new(image, &crash);

			walk_find(&walk, moment, image, more ? ev : NULL, &v->tally, &found);
			moment_free(moment);
		}
		if (more > 0) {
			walk_on(&walk, ev, reading_number(reading) + 1);
			reading_go(reading);
		}
	}
	walk_end(&walk);
	reading_close(reading);
	targets_free(&targets);
	vec_free(&found.all);
	return more < 0 ? -1 : 0;
}

static int recording_infer(struct violate *v, const struct campaign_options *o, struct err *err)
{
	struct trace *trace;
	struct event ev;
	int more;

	if (trace_open(&trace, o->dir, err) < 0)
		return -1;
	invariants_begin(v->invariants, trace);
	while ((more = trace_next(trace, &ev, err)) > 0 && !stop_asked(&o->stop))
		invariants_event(v->invariants, &ev);
	trace_close(trace);
	return more < 0 ? -1 : 0;
}

int violate_untested(const struct campaign_options *o, const struct survey *survey, struct findings *f, struct err *err)
{
	struct violate v = {.invariants = invariants_new()};
	uint64_t violable;
	int r = recording_infer(&v, o, err);

	for (size_t p = 0; r == 0 && p < o->platform_count; p++)
		r = platform_walk(&v, o, p, survey, err);
	if (r == 0) {
		violate_figures_add(v.invariants, &v.tally, f);
		violable = tally_count(&v.tally, TALLY_VIOLABLE);
		findings_note(f,
			      "a crash can violate %" PRIu64
			      " of the likely invariants; without --recover they are not tested (blackout dump "
			      "--invariants lists them all)",
			      violable);
	}
	invariants_free(v.invariants);
	map_free(&v.tally.flags);
	return r;
}
