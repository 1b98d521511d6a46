/* SPDX-License-Identifier: GPL-2.0-or-later */
/* collect.c - see collect.h. */
#include "analysis/collect.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/mem.h"
#include "crash/strategy.h"
#include "finding/actors.h"
#include "finding/helpers.h"
#include "finding/history.h"
#include "finding/own.h"

static void target_fill(struct findings *f, const struct trace *trace, const struct findings_options *places)
{
	char key[32];
	const char *word;

	for (unsigned i = 0; snprintf(key, sizeof(key), "command.%u", i), (word = trace_meta(trace, key)); i++)
		vec_push(&f->target.command, findings_text(f, word));
	for (size_t i = 0; i < places->own_count; i++)
		vec_push(&f->target.own, findings_text(f, places->own[i]));
	for (size_t i = 0; i < places->fold_count; i++)
		vec_push(&f->target.fold, findings_text(f, places->fold[i]));
	for (size_t i = 0; i < places->no_fold_count; i++)
		vec_push(&f->target.no_fold, findings_text(f, places->no_fold[i]));
}

/* Includes platforms that only crash tests use, and no detector of events. */
static void platforms_fill(struct findings *f, const struct choice *choice)
{
	if (f->target.platforms.count)
		return;
	for (size_t i = 0; i < choice->platform_count; i++)
		vec_push(&f->target.platforms, findings_text(f, platform_name(choice->platforms[i])));
}

static void stats_fill(struct findings *f, const struct scan *scan)
{
	const struct trace *trace = scan_trace(scan);
	const char *record = trace_meta(trace, "seconds");
	struct stats_summary totals;

	scan_totals(scan, &totals);
	f->stats.stores = figure_known(totals.stores);
	f->stats.flushes = figure_known(totals.flushes);
	f->stats.fences = figure_known(totals.fences);
	f->stats.threads = figure_known(totals.threads);
	if (trace_layers(trace) & BO_LAYER_LOADS)
		f->stats.loads = figure_known(totals.loads);
	f->stats.complete = figure_known(scan_complete(scan));
	f->stats.seconds.record = record ? strtod(record, NULL) : -1;
	f->stats.seconds.analyse = scan_seconds(scan);
}

static void problems_note(struct findings *f, const struct symbols *symbols)
{
	enum symbols_state state;
	const char *path;

	for (size_t at = 0; (path = symbols_problem(symbols, &at, &state));)
		findings_note(f, "%s: %s", path, symbols_state_text(state));
}

/* Does the pattern match any code in the recording? */
static bool fold_matches(const struct trace *trace, struct symbols *symbols, const char *pattern)
{
	uint32_t count = trace_context_count(trace);
	bool *calls = mem_alloc(count + 1), found = false;

	for (uint32_t id = 1; id <= count; id++)
		calls[trace_context(trace, id)->parent] = true;
	for (uint32_t id = 1; id <= count && !found; id++) {
		const struct trace_context *at = trace_context(trace, id);
		const struct trace_module *module = trace_module(trace, at->module);
		const struct symbols_frame *frames;
		size_t frame_count = symbols_lookup(symbols, module, at->offset, calls[id], &frames);

		for (size_t i = 0; i < frame_count && !found; i++) {
			const struct finding_frame frame = {.file = frames[i].file,
							    .path = frames[i].path,
							    .function = frames[i].function,
							    .module = frames[i].module};

			found = own_matches_frame(pattern, &frame, module ? module->path : NULL);
		}
	}
	free(calls);
	return found;
}

/* A pattern that matches nothing is mistyped, or the function was renamed; without a note its findings would silently
 * move. */
static void folds_note(struct findings *f, const struct trace *trace, struct symbols *symbols, const char *option,
		       const char *const *patterns, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!fold_matches(trace, symbols, patterns[i]))
			findings_note(f, "no function, module or source of this recording matches %s %s", option,
				      patterns[i]);
}

/* Their stores are not in the recording, so they were not checked. */
static void children_note(struct findings *f, const struct scan *scan)
{
	const struct trace *trace = scan_trace(scan);
	uint64_t forks = scan_count(scan, EVENT_FORK);

	if (forks && trace_file_count(trace) && !(trace_layers(trace) & BO_LAYER_FOLLOW))
		findings_note(f, "%" PRIu64 " child process%s not recorded; use --follow-children", forks,
			      forks == 1 ? " was" : "es were");
}

static void runtimes_note(struct findings *f, const struct trace *trace)
{
	const char *what;

	for (unsigned i = 0; (what = trace_refused_runtime(trace, i)); i++)
		findings_note(f, TRACE_RUNTIME_REFUSED, what);
}

/* If there was a campaign, it has reported everything. */
static void untested_note(struct findings *f, const char *recover, const char *untested)
{
	if (!f->target.recover)
		f->target.recover = findings_text(f, recover);
	if (!untested)
		return;
	findings_note(f, "crash states were not tested: %s", untested);
	f->stats.complete = figure_known(0);
}

/* Which part this is, or which parts were put together. */
static void shards_fill(struct findings *f, const struct campaign_options *testing)
{
	const struct shard_parts *parts = testing->parts;

	if (testing->shard.total) {
		f->stats.shard.index = figure_known(testing->shard.index);
		f->stats.shard.total = figure_known(testing->shard.total);
	}
	if (!parts)
		return;
	f->stats.shards = figure_known(parts->total);
	for (size_t i = 0; i < parts->missing_count; i++)
		vec_push(&f->missing, parts->missing[i]);
	for (size_t i = 0; i < parts->cut_count; i++)
		findings_note(f, "part %u of %u is not complete: it was interrupted, or its time was over",
			      (unsigned)parts->cut[i], (unsigned)parts->total);
	if (!parts->whole)
		f->stats.complete = figure_known(0);
}

/* What strategies can tell without a recovery command. */
static int strategies_tell(const struct collection *from, struct findings *f, struct err *err)
{
	const struct choice *choice = from->choice;
	struct campaign_options how = *from->testing;

	if (from->recover || !trace_file_count(scan_trace(from->scan)) || !scan_complete(from->scan))
		return 0;
	how.dir = from->dir;
	how.platforms = choice->platforms;
	how.platform_count = choice->platform_count;
	how.stop = from->stop;
	for (size_t i = 0; i < choice->strategy_count; i++)
		if (choice->strategies[i]->untested &&
		    choice->strategies[i]->untested(&how, scan_survey(from->scan), f, err) < 0)
			return -1;
	return 0;
}

/* The sinks of detectors and of plug-ins; of several shards, the first has them.  The caller frees the array. */
static struct sink **sinks_all(const struct collection *from, size_t *count)
{
	size_t plugin_count;
	struct sink *const *own = scan_sinks(from->scan, count);
	struct sink *const *theirs = plugin_runs_sinks(from->plugins, &plugin_count);
	struct sink **all = mem_alloc((*count + plugin_count + 1) * sizeof(*all));

	if (from->testing->shard.index > 1)
		*count = plugin_count = 0;
	for (size_t i = 0; i < *count; i++)
		all[i] = own[i];
	for (size_t i = 0; i < plugin_count; i++)
		all[(*count)++] = theirs[i];
	return all;
}

struct findings *findings_make(const struct collection *from, struct err *err)
{
	const struct trace *trace = scan_trace(from->scan);
	struct findings_options places = from->places;
	struct symbols *symbols = from->symbols ? from->symbols : symbols_open(NULL);
	struct helpers *helpers = helpers_find(trace, symbols, scan_activity(from->scan), &places);
	size_t count;
	struct sink **sinks = sinks_all(from, &count);
	places.helpers = helpers;
	places.recording = from->dir;
	if (from->campaign)
		places.proofs = campaign_proofs(from->campaign, &places.proof_count);
	struct findings *f = findings_collect(sinks, count, trace, symbols, &places);

	free(sinks);
	target_fill(f, trace, &places);
	platforms_fill(f, from->choice);
	stats_fill(f, from->scan);
	if (from->campaign) {
		campaign_report(from->campaign, f, trace, symbols, &places);
		operation_judging_report(from->judging, from->scan, f);
	}
	counting_report(from->counting, f, trace, symbols, &places);
	folds_note(f, trace, symbols, "--fold", places.fold, places.fold_count);
	folds_note(f, trace, symbols, "--no-fold", places.no_fold, places.no_fold_count);
	problems_note(f, symbols);
	if (strategies_tell(from, f, err) < 0 || actors_collect(f, from->dir, symbols, err) < 0 ||
	    history_collect(f, from->dir, symbols, &places, err) < 0) {
		findings_free(f);
		f = NULL;
	}
	helpers_free(helpers);
	if (!from->symbols)
		symbols_close(symbols);
	if (!f)
		return NULL;
	if (from->warning)
		vec_push(&f->warnings, findings_text(f, from->warning));
	else if (!trace_file_count(trace))
		findings_note(f, "the target mapped no persistent memory");
	children_note(f, from->scan);
	plugin_runs_note(from->plugins, trace, f);
	if (trace_layers_unknown(trace))
		findings_note(f, TRACE_LAYERS_UNKNOWN);
	runtimes_note(f, trace);
	untested_note(f, from->recover, from->untested);
	shards_fill(f, from->testing);
	return f;
}
