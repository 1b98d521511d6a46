/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "count/count.h"

#include <stdlib.h>
#include <string.h>

#include "count/boxes.h"
#include "count/combine.h"
#include "count/sequences.h"
#include "image/contents.h"
#include "image/state.h"
#include "model/moments.h"

#define INTERRUPT_EVENTS 4096u
#define ALTERNATIVES_MAX 1000000u /* of a line */

/* One reading. */
struct reading {
	struct image *image;
	struct segments *segments;
	struct moments moments;
	uint64_t first; /* the segment's first event */
};

struct count {
	struct count_options options;
	struct reading reading;
	mpz_t feasible, here;
	struct variants variants;
	struct boxes *boxes;
	struct contents contents;
	uint64_t states;
	bool looking; /* enumerating states */
	bool complete, has_code;
	double sequences_work; /* additions that are left */
	double sequences;      /* logarithm; negative: none yet, or not known */
	bool sequences_known;
	unsigned readings;
	uint64_t segments, unique, left_out; /* of completed readings */
	size_t largest_count;
	struct count_segment largest[COUNT_LARGEST];
};

struct count *count_new(const struct count_options *options)
{
	struct count *count = mem_alloc(sizeof(*count));

	count->options = *options;
	if (!count->options.contents_max)
		count->options.contents_max = COUNT_CONTENTS;
	if (!count->options.states_max)
		count->options.states_max = COUNT_STATES;
	count->complete = count->has_code = true;
	count->looking = options->way == COUNT_LOOK;
	count->sequences = -1;
	count->sequences_known = options->sequences;
	count->sequences_work = SEQUENCES_WORK;
	count->boxes = boxes_new();
	if (options->way == COUNT_LOOK)
		boxes_give_up(count->boxes);
	mpz_inits(count->feasible, count->here, NULL);
	for (size_t i = 0; i < COUNT_LARGEST; i++)
		mpz_init(count->largest[i].feasible);
	return count;
}

static void reading_free(struct reading *reading)
{
	image_free(reading->image);
	segments_free(reading->segments);
	*reading = (struct reading){0};
}

void count_free(struct count *count)
{
	if (!count)
		return;
	reading_free(&count->reading);
	mpz_clears(count->feasible, count->here, NULL);
	for (size_t i = 0; i < COUNT_LARGEST; i++)
		mpz_clear(count->largest[i].feasible);
	variants_free(&count->variants);
	boxes_free(count->boxes);
	contents_free(&count->contents);
	free(count);
}

/* Contents */

static bool content_seen(void *arg, struct digest digest)
{
	struct count *count = arg;

	count->states++;
	contents_add(&count->contents, digest);
	return count->contents.count <= count->options.contents_max && count->states <= count->options.states_max;
}

/* Add the contents of this moment: to the boxes, and, if states are enumerated and these are not too many, one by
 * one. */
static void contents_count(struct count *count)
{
	const double room = (double)(count->options.states_max - count->states);
	struct choices *choices;

	if (!count->looking && boxes_given_up(count->boxes))
		return;
	choices = image_choices(count->reading.image);
	if (!variants_find(&count->variants, count->reading.image, choices, ALTERNATIVES_MAX)) {
		boxes_give_up(count->boxes);
		count->looking = false;
	}
	boxes_moment(count->boxes, count->reading.image, choices, &count->variants);
	free(choices);
	if (count->looking && !count->variants.ordered && combine_count(&count->variants) > room)
		count->looking = false;
	if (count->looking)
		count->looking =
			combine(&count->variants, state_digest_none(count->reading.image), content_seen, count);
	if (!count->looking)
		contents_free(&count->contents);
}

/* The largest segments */

static int by_units(const void *left, const void *right)
{
	const struct count_site *a = left, *b = right;

	if (a->units != b->units)
		return a->units > b->units ? -1 : 1;
	return (a->context > b->context) - (a->context < b->context);
}

static void sites_find(struct count_segment *segment, const struct unit *const *pending, size_t count)
{
	VEC_OF(struct count_site) sites = {0};
	struct map index = {0};

	for (size_t i = 0; i < count; i++) {
		struct count_site fresh = {.context = pending[i]->context};
		uint64_t *at = map_put(&index, fresh.context, 0);

		if (!*at) {
			vec_push(&sites, fresh);
			*at = sites.count;
		}
		sites.at[*at - 1].units++;
		sites.at[*at - 1].unflushed += pending[i]->kind == UNIT_CACHED && pending[i]->cover == UNIT_BARE;
	}
	if (sites.count)
		qsort(sites.at, sites.count, sizeof(*sites.at), by_units);
	memset(segment->sites, 0, sizeof(segment->sites));
	for (size_t i = 0; i < sites.count && i < COUNT_SITES; i++)
		segment->sites[i] = sites.at[i];
	segment->site_count = sites.count;
	vec_free(&sites);
	map_free(&index);
}

/* Keep the segment if it is among the largest, and is the largest that ended at its place.  The first of equal ones is
 * kept. */
static void largest_add(struct count *count, const struct count_segment *segment)
{
	struct count_segment *largest = count->largest, fresh = *segment, other;
	const struct unit *const *pending;
	size_t at = 0, units;

	while (at < count->largest_count && largest[at].context != segment->context)
		at++;
	if (at < count->largest_count && mpz_cmp(count->here, largest[at].feasible) <= 0)
		return;
	if (at == COUNT_LARGEST && mpz_cmp(count->here, largest[--at].feasible) <= 0)
		return;
	count->largest_count += at == count->largest_count;
	memcpy(fresh.feasible, largest[at].feasible, sizeof(fresh.feasible)); /* the number of the slot stays in it */
	largest[at] = fresh;
	mpz_set(largest[at].feasible, count->here);
	pending = model_pending(image_model(count->reading.image), &units);
	sites_find(&largest[at], pending, units);
	for (; at && mpz_cmp(largest[at].feasible, largest[at - 1].feasible) > 0; at--) {
		other = largest[at];
		largest[at] = largest[at - 1];
		largest[at - 1] = other;
	}
}

/* Reading */

void count_begin(struct count *count, const struct platform *platform, const struct origin *origin, bool code)
{
	struct reading *r = &count->reading;

	r->image = image_new(platform, origin);
	r->segments = segments_new(code, count->options.prune ? count->options.representatives : 0);
	r->first = 1;
	count->has_code &= code;
	if (count->readings++)
		boxes_restart(count->boxes);
}

static void sequences_count(struct count *count)
{
	struct choices *choices;
	double here;

	if (!count->sequences_known)
		return;
	choices = choices_take(image_model(count->reading.image));
	here = sequences_log(choices, &count->sequences_work);
	free(choices);
	count->sequences_known = here >= 0;
	count->sequences = sequences_add(count->sequences, here);
}

/* Count the segment that ends before `ev`; NULL: at the end of the recording. */
static void moment(struct count *count, const struct event *ev)
{
	struct reading *r = &count->reading;
	struct segment name = segments_cut(r->segments);
	struct count_segment segment = {
		.number = count->segments + name.number,
		.first = r->first,
		.last = image_events(r->image),
		.context = ev ? ev->context : 0,
		.chosen = name.chosen,
		.units = model_pending_count(image_model(r->image)),
	};

	image_settle(r->image);
	model_count(image_model(r->image), count->here);
	mpz_add(count->feasible, count->feasible, count->here);
	if (segment.chosen)
		contents_count(count);
	sequences_count(count);
	largest_add(count, &segment);
	r->first = segment.last + 1;
}

void count_event(struct count *count, const struct event *ev)
{
	struct reading *r = &count->reading;

	if (moments_before(&r->moments, image_model(r->image), ev))
		moment(count, ev);
	segments_event(r->segments, ev);
	boxes_before(count->boxes, r->image, ev);
	image_apply(r->image, ev);
}

void count_end(struct count *count)
{
	struct reading *r = &count->reading;

	if (moments_before(&r->moments, image_model(r->image), NULL))
		moment(count, NULL);
	count->segments += segments_total(r->segments);
	count->unique += segments_unique(r->segments);
	count->left_out += segments_left_out(r->segments);
	reading_free(r);
}

static int count_read(struct count *count, const char *dir, const struct platform *platform,
		      const struct origin *origin, struct err *err)
{
	struct trace *trace;
	struct event ev;
	uint64_t number = 0;
	int r;

	if (trace_open(&trace, dir, err) < 0)
		return -1;
	count_begin(count, platform, origin, trace_layers(trace) & BO_LAYER_CODE);
	while ((r = trace_next(trace, &ev, err)) > 0) {
		if (number++ % INTERRUPT_EVENTS == 0 && stop_asked(&count->options.stop)) {
			count->complete = false;
			break;
		}
		count_event(count, &ev);
	}
	count_end(count);
	trace_close(trace);
	return r < 0 ? -1 : 0;
}

int count_recording(struct count *count, const char *dir, const struct platform *const *platforms,
		    size_t platform_count, const struct origin *origin, struct err *err)
{
	struct count_options again = count->options;
	struct count *look;
	int r = 0;

	for (size_t i = 0; i < platform_count && count->complete && r == 0; i++)
		r = count_read(count, dir, platforms[i], origin, err);
	if (r < 0 || !count->complete || again.way == COUNT_LOOK || !boxes_given_up(count->boxes))
		return r;
	again.way = COUNT_LOOK;
	again.sequences = false;
	look = count_new(&again);
	for (size_t i = 0; i < platform_count && look->complete && look->looking && r == 0; i++)
		r = count_read(look, dir, platforms[i], origin, err);
	count->complete = look->complete;
	count->looking = look->looking;
	count->contents = look->contents;
	look->contents = (struct contents){0};
	count_free(look);
	return r;
}

/* Results */

bool count_complete(const struct count *count)
{
	return count->complete;
}

void count_feasible(const struct count *count, mpz_t feasible)
{
	mpz_set(feasible, count->feasible);
}

bool count_distinct(const struct count *count, mpz_t distinct)
{
	if (boxes_count(count->boxes, distinct))
		return true;
	mpz_set_ui(distinct, count->contents.count);
	return count->looking;
}

double count_sequences(const struct count *count)
{
	return count->sequences_known ? count->sequences : -1;
}

uint64_t count_segments(const struct count *count)
{
	return count->segments;
}

uint64_t count_segments_unique(const struct count *count)
{
	return count->unique;
}

uint64_t count_segments_left_out(const struct count *count)
{
	return count->left_out;
}

bool count_has_code(const struct count *count)
{
	return count->has_code;
}

const struct count_segment *count_largest(const struct count *count, size_t index)
{
	return index < count->largest_count ? &count->largest[index] : NULL;
}
