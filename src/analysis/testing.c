/* SPDX-License-Identifier: GPL-2.0-or-later */
/* testing.c - see testing.h. */
#include "analysis/testing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "cli/interrupt.h"
#include "cli/summary.h"

enum { JOBS_MAX = 63, LEFTOVERS_MAX = 100 /* limit for contexts whose leftovers are tested */ };

/* Options */

struct suffix {
	const char *text;
	double factor;
};

/* A number above 0, followed by one of these suffixes. */
static int quantity_parse(const char *option, const char *text, const struct suffix *suffixes, double *value,
			  struct err *err)
{
	char *end;

	*value = strtod(text, &end);
	if (end != text && isfinite(*value) && *value > 0)
		for (const struct suffix *s = suffixes; s->text; s++)
			if (!strcmp(end, s->text)) {
				*value *= s->factor;
				return 0;
			}
	err_set(err, "--%s cannot be '%s'", option, text);
	return err_status(err, ERR_USAGE);
}

static int time_parse(const char *option, const char *text, double *seconds, struct err *err)
{
	static const struct suffix times[] = {{"", 1}, {"s", 1}, {"m", 60}, {"h", 3600}, {0}};

	return quantity_parse(option, text, times, seconds, err);
}

static int limits_parse(struct testing *t, struct err *err)
{
	static const struct suffix sizes[] = {{"", 1},          {"K", 1 << 10},   {"M", 1 << 20},   {"G", 1 << 30},
					      {"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {0}};
	const struct testing_options *o = t->options;
	double bytes = 0, disk;

	if (time_parse("timeout", o->timeout, &t->how.timeout, err) < 0)
		return -1;
	if (o->budget && time_parse("budget", o->budget, &t->how.budget, err) < 0)
		return -1;
	if (o->memory && quantity_parse("memory", o->memory, sizes, &bytes, err) < 0)
		return -1;
	if (quantity_parse("disk", o->disk, sizes, &disk, err) < 0)
		return -1;
	t->how.memory = (uint64_t)bytes;
	t->how.disk = (uint64_t)disk;
	return 0;
}

static unsigned jobs_number(uint64_t wanted)
{
	long cores = sysconf(_SC_NPROCESSORS_ONLN);

	if (!wanted)
		wanted = cores > 0 ? (uint64_t)cores : 1;
	return wanted < JOBS_MAX ? (unsigned)wanted : JOBS_MAX;
}

static int values_check(const struct testing_options *o, struct err *err)
{
	if (!o->visits)
		err_set(err, "--visits cannot be 0");
	else if (o->ready && !o->client)
		err_set(err, "--ready needs --client");
	else
		return 0;
	return err_status(err, ERR_USAGE);
}

int testing_prepare(struct testing *t, const struct testing_options *options, struct err *err)
{
	*t = (struct testing){.options = options, .wanted = options->recover != NULL};
	t->how = (struct campaign_options){
		.recover = options->recover,
		.client = options->client,
		.ready = options->ready,
		.mode = options->mode,
		.jobs = jobs_number(options->jobs),
		.visits = options->visits,
		.points = options->points,
		.after = options->after,
		.seed = options->seed,
		.nested = options->nested,
		.resume = options->resume,
		.stop = {.asked = interrupt_asked},
	};
	if (values_check(options, err) < 0 || limits_parse(t, err) < 0)
		return -1;
	return t->wanted ? campaign_check(&t->how, options->elsewhere, err) : 0;
}

void testing_prune(struct testing *t, const struct counting *counting)
{
	t->how.prune_segments = counting->segments;
	t->how.prune_reads = counting->reads;
	t->how.representatives = counting->options->representatives;
	t->how.per_segment = counting->options->per_segment;
	t->counting = counting;
}

void testing_choose(const struct testing *t, struct choice *choice)
{
	choice->inject &= t->wanted;
	choice->at = strcmp(t->options->at, "store") ? POINTS_PERSIST : POINTS_STORE;
}

/* Progress */

enum { TERMINAL_MS = 200, LINES_MS = 10000 };

/* Seconds until the phase is done at its current pace, or until the budget is used up; negative: unknown. */
static double progress_left(const struct campaign_progress *p)
{
	uint64_t known = p->segments_known ? p->segments_known : p->known,
		 done = p->segments_known ? p->segments : p->done;
	double left = done && known >= done ? p->seconds * (double)(known - done) / (double)done : -1;

	return p->budget_left >= 0 && (left < 0 || left > p->budget_left) ? p->budget_left : left;
}

/* "exploring: 12 of 33 segments, 1 234 crash states, 2 210/s, 3 fail, about 12 s left" */
static void progress_text(const struct campaign_progress *p, char *text, size_t size)
{
	double rate = p->seconds > 0 ? (double)p->tested / p->seconds : 0, left = progress_left(p);
	char number[32], total[32], segments[80] = "", states[80], failed[48] = "", time[48] = "";

	if (p->segments_known)
		snprintf(segments, sizeof(segments), "%s of %s segments, ", number_text(number, p->segments),
			 number_text(total, p->segments_known));
	if (p->known)
		snprintf(states, sizeof(states), "%s of %s crash states", number_text(number, p->done),
			 number_text(total, p->known));
	else
		snprintf(states, sizeof(states), "%s crash states", number_text(number, p->done));
	if (p->failed)
		snprintf(failed, sizeof(failed), ", %s fail", number_text(number, p->failed));
	if (left >= 0)
		snprintf(time, sizeof(time), ", about %.0f s left", left);
	snprintf(text, size, "%s: %s%s, %s/s%s%s", p->phase, segments, states, number_text(number, (uint64_t)rate),
		 failed, time);
}

static void progress_show(void *arg, const struct campaign_progress *progress)
{
	struct testing *t = arg;
	double now = clock_seconds();
	char text[256];

	if ((now - t->shown) * 1000 < (t->terminal ? TERMINAL_MS : LINES_MS))
		return;
	t->shown = now;
	progress_text(progress, text, sizeof(text));
	if (t->terminal)
		fprintf(stderr, "\r%s\033[K", text);
	else
		fprintf(stderr, "%s\n", text);
	t->visible = t->terminal;
}

static void progress_clear(struct testing *t)
{
	if (t->visible)
		fprintf(stderr, "\r\033[K");
	t->visible = false;
}

static void progress_prepare(struct testing *t, bool quiet)
{
	if (!t->options->progress || quiet)
		return;
	t->terminal = isatty(STDERR_FILENO);
	t->shown = clock_seconds();
	t->how.progress = progress_show;
	t->how.arg = t;
}

/* The campaign */

static void suspect_add(struct testing *t, const struct trace *trace, const struct sink_entry *entry)
{
	const struct sighting *sighting = &entry->first;
	enum finding_class class = kind_get(sighting->kind)->class;
	uint32_t caller;

	if (class == CLASS_PERFORMANCE)
		return;
	caller = trace_context_parent(trace, sighting->context);
	vec_push(&t->callers, caller);
	vec_push(&t->callers, trace_context_parent(trace, caller));
	/* Nearly every segment has flushes that are not ordered, so these do not make a segment more suspicious than
	 * others. */
	if (class != CLASS_DURABILITY)
		return;
	vec_push(&t->suspects, sighting->event);
	vec_push(&t->suspects, entry->last.event);
}

/* Sightings of other detectors that may mean lost data. */
static void suspects_list(struct testing *t, const struct scan *scan)
{
	size_t count;
	struct sink *const *sinks = scan_sinks(scan, &count);

	for (size_t s = 0; s < count; s++)
		for (size_t i = 0; i < sink_count(sinks[s]); i++)
			suspect_add(t, scan_trace(scan), sink_at(sinks[s], i));
	t->how.suspects = t->suspects.at;
	t->how.suspect_count = t->suspects.count;
	t->how.callers = t->callers.at;
	t->how.caller_count = t->callers.count;
}

/* Identify an instruction, regardless of its callers. */
static uint64_t *instruction_put(struct map *map, const struct trace *trace, uint32_t context)
{
	const struct trace_context *c = trace_context(trace, context);

	return map_put(map, c ? c->module : 0, c ? c->offset : 0);
}

/* Can it be a missing flush?  A line that is never flushed may be deliberate; but if the same instruction persists its
 * stores elsewhere, it counts. */
static bool may_miss_flush(const struct sighting *sighting, struct map *persisting, const struct trace *trace)
{
	if (sighting->kind == KIND_MISSING_FLUSH)
		return true;
	return (sighting->variant == VARIANT_TRANSIENT_DATA_NEVER ||
		sighting->variant == VARIANT_TRANSIENT_DATA_UNMAPPED) &&
	       *instruction_put(persisting, trace, sighting->context);
}

/* The contexts of the first sink that has any; other platforms have the same ones, or none. */
static void leftovers_list(struct testing *t, const struct choice *choice, const struct scan *scan)
{
	const struct trace *trace = scan_trace(scan);
	size_t count, sites;
	struct sink *const *sinks = scan_sinks(scan, &count);

	for (size_t s = 0; s < count && !t->leftovers.count; s++) {
		const struct sink_site *site = sink_sites(sinks[s], &sites);
		struct map persisting = {0};

		for (size_t i = 0; i < sites; i++)
			if (site[i].persisted)
				*instruction_put(&persisting, trace, site[i].context) = 1;
		for (size_t i = 0; i < sink_count(sinks[s]) && t->leftovers.count < LEFTOVERS_MAX; i++)
			if (may_miss_flush(&sink_at(sinks[s], i)->first, &persisting, trace))
				vec_push(&t->leftovers, sink_at(sinks[s], i)->first.context);
		map_free(&persisting);
		for (size_t p = 0; p < choice->platform_count; p++)
			if (!strcmp(platform_name(choice->platforms[p]), sink_platform(sinks[s])))
				t->how.leftover_platform = p;
	}
	t->how.leftovers = t->leftovers.at;
	t->how.leftover_count = t->leftovers.count;
}

static void printed_show(const struct testing *t)
{
	const char *text = campaign_printed(t->campaign);

	if (*text)
		fprintf(stderr, "recovery printed:\n%s%s", text, text[strlen(text) - 1] == '\n' ? "" : "\n");
}

/* Earlier results count only if they would be the same now. */
static void resumed_say(const struct testing *t)
{
	const struct testing_before *before = &t->options->before;
	struct err ignored;
	double then;

	if (*before->changed)
		fprintf(stderr, "all crash states are tested again because %s changed\n", before->changed);
	else if (before->timeout && time_parse("timeout", before->timeout, &then, &ignored) == 0 &&
		 then < t->how.timeout)
		fprintf(stderr, "recoveries that did not end within --timeout %s are tested again\n", before->timeout);
}

int testing_run(struct testing *t, const struct choice *choice, const struct scan *scan,
		const struct testing_facts *facts, struct err *err)
{
	const struct trace *trace = scan_trace(scan);
	const char *force = trace_meta(trace, "pmem_force");
	char *rules;
	int r;

	if (!t->wanted || (!choice->inject && !choice->explore) || !trace_file_count(trace) || !scan_complete(scan))
		return 0;
	t->how.inject = choice->inject;
	t->how.explore = choice->explore;
	t->how.dir = facts->dir;
	t->how.out = facts->out;
	t->how.cwd = trace_meta(trace, "cwd");
	t->how.pmem_force = !force || strcmp(force, "0");
	t->how.platforms = choice->platforms;
	t->how.platform_count = choice->platform_count;
	if (testing_save(facts->options, facts->out, err) < 0)
		return -1;
	if (!facts->quiet)
		resumed_say(t);
	if (t->counting)
		t->how.segments = counting_chosen(t->counting);
	suspects_list(t, scan);
	leftovers_list(t, choice, scan);
	progress_prepare(t, facts->quiet);
	rules = testing_rules(facts->options);
	t->how.depends = rules;
	r = campaign_run(&t->campaign, &t->how, scan_survey(scan), err);
	free(rules);
	progress_clear(t);
	if (r == 0)
		return 0;
	printed_show(t);
	campaign_free(t->campaign);
	t->campaign = NULL;
	return r;
}

bool testing_judged_nothing(const struct testing *t, const struct trace *trace, struct err *err)
{
	if (!t->campaign || !campaign_judges_nothing(t->campaign))
		return false;
	err_set(err, "the recovery command opened no PM file on any crash state, so it judged nothing");
	err_hint(err, "--recover must open %.180s and check it", trace_file(trace, 1)->path);
	err_status(err, ERR_TARGET);
	return true;
}

void testing_interrupted(const struct testing *t, const char *dir)
{
	if (t->campaign && !campaign_complete(t->campaign))
		fprintf(stderr,
			"interrupted; the reports cover the crash states that were tested so far\n"
			"hint: blackout check --resume %s tests the rest\n",
			dir);
	else
		fprintf(stderr, "interrupted; the reports cover what was analyzed so far\n");
}

void testing_free(struct testing *t)
{
	campaign_free(t->campaign);
	vec_free(&t->suspects);
	vec_free(&t->leftovers);
	vec_free(&t->callers);
}
