/* SPDX-License-Identifier: GPL-2.0-or-later */
/* testing.c - see testing.h. */
#include "analysis/testing.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/mem.h"

enum { LEFTOVERS_MAX = 100 /* limit for contexts whose leftovers are tested */ };

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
static void suspects_list(struct testing *t, struct campaign_options *how, const struct scan *scan)
{
	size_t count;
	struct sink *const *sinks = scan_sinks(scan, &count);

	for (size_t s = 0; s < count; s++)
		for (size_t i = 0; i < sink_count(sinks[s]); i++)
			suspect_add(t, scan_trace(scan), sink_at(sinks[s], i));
	how->suspects = t->suspects.at;
	how->suspect_count = t->suspects.count;
	how->callers = t->callers.at;
	how->caller_count = t->callers.count;
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
	return (sighting->form == FORM_TRANSIENT_DATA_NEVER || sighting->form == FORM_TRANSIENT_DATA_UNMAPPED) &&
	       *instruction_put(persisting, trace, sighting->context);
}

/* The contexts of the first sink that has any; other platforms have the same ones, or none. */
static void leftovers_list(struct testing *t, struct campaign_options *how, const struct scan *scan)
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
		for (size_t p = 0; p < how->platform_count; p++)
			if (!strcmp(platform_name(how->platforms[p]), sink_platform(sinks[s])))
				how->leftover_platform = p;
	}
	how->leftovers = t->leftovers.at;
	how->leftover_count = t->leftovers.count;
}

int testing_run(struct testing *t, const struct choice *choice, const struct campaign_options *options,
		const struct scan *scan, struct err *err)
{
	const char *force = trace_meta(scan_trace(scan), "pmem_force"), *printed;
	struct campaign_options how = *options;
	int r;

	how.strategies = choice->strategies;
	how.strategy_count = choice->strategy_count;
	how.cwd = trace_meta(scan_trace(scan), "cwd");
	how.pmem_force = !force || strcmp(force, "0");
	how.platforms = choice->platforms;
	how.platform_count = choice->platform_count;
	suspects_list(t, &how, scan);
	leftovers_list(t, &how, scan);
	r = campaign_run(&t->campaign, &how, scan_survey(scan), err);
	if (r == 0)
		return 0;
	printed = campaign_printed(t->campaign);
	t->printed = memcpy(mem_alloc(strlen(printed) + 1), printed, strlen(printed) + 1);
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

void testing_free(struct testing *t)
{
	campaign_free(t->campaign);
	free(t->printed);
	vec_free(&t->suspects);
	vec_free(&t->leftovers);
	vec_free(&t->callers);
}
