/* SPDX-License-Identifier: GPL-2.0-or-later */
/* counting.c - see counting.h. */
#include "analysis/counting.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "finding/stacks.h"

#define JSON_EXACT (UINT64_C(1) << 53)

/* Counting */

int counting_run(struct counting *c, const struct choice *choice, const struct campaign_options *testing, bool stats,
		 const struct scan *scan, struct err *err)
{
	/* If nobody asks for the number of contents, it must be cheap. */
	bool asked = stats || !testing->recover;
	struct count_options how = {
		.sequences = stats,
		.prune = testing->prune_segments,
		.representatives = testing->representatives,
		.states_max = asked ? 0 : COUNT_STATES_QUICK,
		.stop = testing->stop,
	};
	double start = clock_seconds();
	int r;

	*c = (struct counting){
		.stats = stats,
		.prune_segments = testing->prune_segments,
		.prune_reads = testing->prune_reads,
	};
	if (!choice_all_sets(choice) || !trace_file_count(scan_trace(scan)) || !scan_complete(scan))
		return 0;
	c->count = count_new(&how);
	r = count_recording(c->count, testing->dir, choice->platforms, choice->platform_count,
			    scan_survey(scan)->origin, err);
	if (r == 0 && stats && c->prune_segments) {
		how.prune = how.sequences = false;
		c->whole = count_new(&how);
		r = count_recording(c->whole, testing->dir, choice->platforms, choice->platform_count,
				    scan_survey(scan)->origin, err);
	}
	c->seconds = clock_seconds() - start;
	return r;
}

uint64_t counting_chosen(const struct counting *c)
{
	return c->count && count_complete(c->count) ? count_segments(c->count) - count_segments_left_out(c->count) : 0;
}

void counting_free(struct counting *c)
{
	count_free(c->count);
	count_free(c->whole);
}

/* Report */

static struct findings_figure large_figure(struct findings *f, const mpz_t value)
{
	struct findings_figure figure = figure_known(mpz_get_ui(value));
	char *digits;

	if (mpz_cmp_ui(value, JSON_EXACT) <= 0)
		return figure;
	digits = mpz_get_str(NULL, 10, value);
	figure.large = findings_text(f, digits);
	free(digits);
	return figure;
}

static void segment_add(struct findings *f, struct stacks *stacks, const struct count_segment *from)
{
	struct findings_segment segment = {
		.number = from->number,
		.first = from->first,
		.last = from->last,
		.stores = from->units,
		.site_total = from->site_count,
		.feasible = large_figure(f, from->feasible),
		.end = stacks_make(stacks, from->context),
	};

	segment.sites = findings_block(f, COUNT_SITES, sizeof(*segment.sites));
	for (size_t i = 0; i < COUNT_SITES && from->sites[i].units; i++) {
		segment.sites[i].stack = stacks_make(stacks, from->sites[i].context);
		segment.sites[i].stores = from->sites[i].units;
		segment.sites[i].unflushed = from->sites[i].unflushed;
		segment.site_count++;
	}
	vec_push(&f->segments, segment);
}

static void segments_add(const struct counting *c, struct findings *f, const struct trace *trace,
			 struct symbols *symbols, const struct findings_options *options)
{
	struct stacks stacks = {.findings = f, .trace = trace, .symbols = symbols, .options = options};
	const struct count_segment *segment;

	for (size_t i = 0; (segment = count_largest(c->count, i)); i++)
		segment_add(f, &stacks, segment);
	stacks_free(&stacks);
}

static void notes_add(const struct counting *c, struct findings *f, bool distinct)
{
	if (c->prune_segments && !count_has_code(c->count))
		findings_note(f, "the recording has no code hashes (--code-hash), so no segment is left out");
	if (!distinct)
		findings_note(
			f,
			"the number of different contents is not known: there are too many crash states to examine each "
			"one, and the number cannot be calculated here (doc/EXPLORE.md)");
}

/* Approximate. */
static struct findings_figure log_figure(struct findings *f, double logarithm)
{
	double digits = logarithm / log(10), exponent = floor(digits);
	char text[40];

	if (logarithm < 0)
		return (struct findings_figure){0};
	if (logarithm < log((double)JSON_EXACT))
		return figure_known((uint64_t)llround(exp(logarithm)));
	snprintf(text, sizeof(text), "%.2fe%.0f", pow(10, digits - exponent), exponent);
	return (struct findings_figure){.value = UINT64_MAX, .known = true, .large = findings_text(f, text)};
}

static struct findings_figure distinct_figure(struct findings *f, const struct count *count)
{
	struct findings_figure figure = {0};
	mpz_t number;

	mpz_init(number);
	if (count && count_complete(count) && count_distinct(count, number))
		figure = large_figure(f, number);
	mpz_clear(number);
	return figure;
}

static void funnel_add(const struct counting *c, struct findings *f)
{
	f->stats.funnel.sequences = log_figure(f, count_sequences(c->count));
	f->stats.funnel.sets = f->stats.crash_states.feasible;
	f->stats.funnel.contents = distinct_figure(f, c->whole ? c->whole : c->count);
	f->stats.funnel.after_segments = distinct_figure(f, c->count);
	f->stats.funnel.tested = f->stats.crash_states.tested;
	if (c->prune_reads && f->stats.complete.value)
		f->stats.funnel.after_reads = f->stats.crash_states.explored;
}

/* Explore may have been stopped before it reached all segments, or been told to skip the first ones. */
static void untested_add(const struct counting *c, struct findings *f)
{
	uint64_t chosen = counting_chosen(c),
		 looked_at = f->stats.segments.explored.value + f->stats.segments.partial.value;

	if (f->stats.segments.untested.known && chosen >= looked_at)
		f->stats.segments.untested = figure_known(chosen - looked_at);
}

void counting_report(const struct counting *c, struct findings *f, const struct trace *trace, struct symbols *symbols,
		     const struct findings_options *options)
{
	bool distinct;
	mpz_t number;

	if (!c->count)
		return;
	f->stats.seconds.analyse += c->seconds;
	if (!count_complete(c->count)) {
		f->stats.complete = figure_known(0);
		findings_note(f, "crash states were not counted: counting was interrupted");
		return;
	}
	mpz_init(number);
	count_feasible(c->count, number);
	f->stats.crash_states.feasible = large_figure(f, number);
	distinct = count_distinct(c->count, number);
	/* inject tests other segments, too. */
	if (distinct &&
	    (!f->stats.crash_states.tested.known || mpz_cmp_ui(number, f->stats.crash_states.tested.value) > 0))
		f->stats.crash_states.distinct = large_figure(f, number);
	/* What the campaign has seen is not all of them. */
	if (!distinct)
		f->stats.crash_states.distinct = (struct findings_figure){0};
	mpz_clear(number);
	f->stats.segments.total = figure_known(count_segments(c->count));
	if (count_has_code(c->count)) {
		f->stats.segments.unique = figure_known(count_segments_unique(c->count));
		f->stats.segments.left_out = figure_known(count_segments_left_out(c->count));
	}
	untested_add(c, f);
	notes_add(c, f, distinct);
	if (!c->stats)
		return;
	funnel_add(c, f);
	segments_add(c, f, trace, symbols, options);
}
