/* SPDX-License-Identifier: GPL-2.0-or-later */
/* verdict.c - see verdict.h. */
#include "analysis/verdict.h"

#include <inttypes.h>
#include <limits.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/path.h"
#include "cli/command.h"
#include "finding/actors.h"
#include "finding/baseline.h"
#include "finding/helpers.h"
#include "finding/history.h"
#include "finding/own.h"
#include "replay/folder.h"
#include "report/reader.h"

enum { WIDTH_MIN = 40, WIDTH_MAX = 160 };

/* Options */

static bool terminal_has_colours(void)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

	return isatty(STDOUT_FILENO) && !(no && *no) && term && strcmp(term, "dumb") != 0;
}

static unsigned terminal_width(void)
{
	struct winsize size;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) < 0 || !size.ws_col)
		return 0;
	return size.ws_col < WIDTH_MIN ? WIDTH_MIN : size.ws_col > WIDTH_MAX ? WIDTH_MAX : size.ws_col;
}

/* The table of options has already refused unknown words. */
static void looks_parse(struct verdict *v)
{
	const char *color = v->options->color;

	BUG_ON(!report_find(v->options->format, &v->format));
	BUG_ON(!fail_on_parse(v->options->fail_on, &v->lowest, &v->never));
	v->colour = !strcmp(color, "always") || (!strcmp(color, "auto") && terminal_has_colours());
	v->width = terminal_width();
}

static int silencers_read(struct verdict *v, struct err *err)
{
	const struct option_list *files = &v->options->suppress;

	v->suppress = mem_alloc((files->count + 1) * sizeof(struct suppress *));
	for (size_t i = 0; i < files->count; i++)
		if (suppress_read(&v->suppress[i], files->items[i], err) < 0)
			return -1;
	if (v->options->baseline && findings_read(&v->baseline, v->options->baseline, err) < 0)
		return err_status(err, ERR_USAGE);
	return 0;
}

int verdict_prepare(struct verdict *v, const struct verdict_options *options, struct err *err)
{
	*v = (struct verdict){.options = options};
	if (options->detect && choice_parse(&v->choice, options->detect, options->platform, err) < 0)
		return -1;
	looks_parse(v);
	return silencers_read(v, err);
}

void verdict_free(struct verdict *v)
{
	for (size_t i = 0; v->suppress && i < v->options->suppress.count; i++)
		suppress_free(v->suppress[i]);
	free(v->suppress);
	findings_free(v->baseline);
}

/* Findings */

static void target_fill(struct findings *f, const struct trace *trace, const struct verdict_options *options)
{
	char key[32];
	const char *word;

	for (unsigned i = 0; snprintf(key, sizeof(key), "command.%u", i), (word = trace_meta(trace, key)); i++)
		vec_push(&f->target.command, findings_text(f, word));
	for (size_t i = 0; i < options->own.count; i++)
		vec_push(&f->target.own, findings_text(f, options->own.items[i]));
	for (size_t i = 0; i < options->fold.count; i++)
		vec_push(&f->target.fold, findings_text(f, options->fold.items[i]));
	for (size_t i = 0; i < options->no_fold.count; i++)
		vec_push(&f->target.no_fold, findings_text(f, options->no_fold.items[i]));
}

/* Includes platforms that only crash tests use, and no detector of events. */
static void platforms_fill(struct findings *f, const struct choice *choice)
{
	if (f->target.platforms.count)
		return;
	for (size_t i = 0; i < choice->platform_count; i++)
		vec_push(&f->target.platforms, findings_text(f, platform_name(choice->platforms[i])));
}

static void stats_fill(struct findings *f, const struct scan *a)
{
	const struct trace *trace = scan_trace(a);
	const char *record = trace_meta(trace, "seconds");
	struct stats_summary totals;

	scan_totals(a, &totals);
	f->stats.stores = figure_known(totals.stores);
	f->stats.flushes = figure_known(totals.flushes);
	f->stats.fences = figure_known(totals.fences);
	f->stats.threads = figure_known(totals.threads);
	if (trace_layers(trace) & BO_LAYER_LOADS)
		f->stats.loads = figure_known(totals.loads);
	f->stats.complete = figure_known(scan_complete(a));
	f->stats.seconds.record = record ? strtod(record, NULL) : -1;
	f->stats.seconds.analyse = scan_seconds(a);
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
		       const struct option_list *patterns)
{
	for (size_t i = 0; i < patterns->count; i++)
		if (!fold_matches(trace, symbols, patterns->items[i]))
			findings_note(f, "no function, module or source of this recording matches %s %s", option,
				      patterns->items[i]);
}

static struct findings *findings_make(const struct verdict *v, const struct scan *a, struct campaign *campaign,
				      const char *dir, struct err *err)
{
	struct findings_options how = {
		.own = v->options->own.items,
		.own_count = v->options->own.count,
		.fold = v->options->fold.items,
		.fold_count = v->options->fold.count,
		.no_fold = v->options->no_fold.items,
		.no_fold_count = v->options->no_fold.count,
	};
	struct symbols *symbols = symbols_open(NULL);
	struct helpers *helpers = helpers_find(scan_trace(a), symbols, scan_activity(a), &how);
	size_t count;
	struct sink *const *sinks = scan_sinks(a, &count);
	how.helpers = helpers;
	how.recording = dir;
	if (campaign)
		how.proofs = campaign_proofs(campaign, &how.proof_count);
	struct findings *f = findings_collect(sinks, count, scan_trace(a), symbols, &how);

	target_fill(f, scan_trace(a), v->options);
	platforms_fill(f, &v->choice);
	stats_fill(f, a);
	if (campaign)
		campaign_report(campaign, f, scan_trace(a), symbols, &how);
	if (v->counting)
		counting_report(v->counting, f, scan_trace(a), symbols, &how);
	folds_note(f, scan_trace(a), symbols, "--fold", &v->options->fold);
	folds_note(f, scan_trace(a), symbols, "--no-fold", &v->options->no_fold);
	problems_note(f, symbols);
	if (actors_collect(f, dir, symbols, err) < 0 || history_collect(f, dir, symbols, &how, err) < 0) {
		findings_free(f);
		f = NULL;
	}
	helpers_free(helpers);
	symbols_close(symbols);
	return f;
}

static void findings_silence(struct verdict *v, struct findings *f)
{
	for (size_t i = 0; i < v->options->suppress.count; i++) {
		suppress_apply(v->suppress[i], f);
		suppress_note_unused(v->suppress[i], f);
	}
	if (v->baseline)
		baseline_apply(f, v->baseline);
	findings_number(f);
}

static int findings_status(const struct verdict *v, const struct findings *f)
{
	return !v->never && findings_fail(f, v->lowest) ? STATUS_FOUND : STATUS_DONE;
}

static int findings_print(const struct verdict *v, const struct findings *f, const char *shown, struct err *err)
{
	const struct report_options how = {.width = v->width, .colour = v->colour, .dir = shown, .fail_on = v->lowest};

	return report_write(v->format, f, &how, stdout, err);
}

/* What they did to PM is not in the recording, so it was not checked. */
static void children_note(struct findings *f, const struct scan *a)
{
	const struct trace *trace = scan_trace(a);
	uint64_t forks = scan_count(a, EVENT_FORK);

	if (forks && trace_file_count(trace) && !(trace_layers(trace) & BO_LAYER_FOLLOW))
		findings_note(f, "%" PRIu64 " child process%s not recorded; use --follow-children", forks,
			      forks == 1 ? " was" : "es were");
}

/* If there was a campaign, it has reported everything. */
static void untested_note(struct findings *f, const struct verdict_facts *facts)
{
	if (!f->target.recover)
		f->target.recover = findings_text(f, facts->recover);
	if (!facts->untested)
		return;
	findings_note(f, "crash states were not tested: %s", facts->untested);
	f->stats.complete = figure_known(0);
}

int verdict_give(struct verdict *v, const struct scan *a, struct campaign *campaign, const struct verdict_facts *facts,
		 struct err *err)
{
	const struct report_options how = {.dir = facts->out_shown, .fail_on = v->lowest};
	struct findings *f = findings_make(v, a, campaign, facts->dir, err);
	struct err more;
	int status;

	if (!f)
		return -1;
	if (facts->warning)
		vec_push(&f->warnings, findings_text(f, facts->warning));
	else if (!trace_file_count(scan_trace(a)))
		findings_note(f, "the target mapped no persistent memory");
	children_note(f, a);
	if (trace_layers_unknown(scan_trace(a)))
		findings_note(f, TRACE_LAYERS_UNKNOWN);
	untested_note(f, facts);
	findings_silence(v, f);
	/* If something cannot be written, the rest still is; the first failure is reported at the end.  Folders of
	 * crash findings get their final names; those of an earlier report are removed. */
	status = campaign ? campaign_finish(campaign, f, err) : folders_clear(facts->out, err);
	f->stats.seconds.total = clock_seconds() - facts->start;
	if (v->options->write_suppressions &&
	    suppress_write(f, v->options->write_suppressions, status ? &more : err) < 0)
		status = -1;
	if (report_write_all(f, &how, facts->out, status ? &more : err) < 0)
		status = -1;
	if (!(facts->quiet && v->format == REPORT_TEXT) &&
	    findings_print(v, f, facts->out_shown, status ? &more : err) < 0)
		status = -1;
	if (status == 0)
		status = findings_status(v, f);
	findings_free(f);
	return status;
}

/* findings.json does not say either which functions are helpers. */
static int helpers_read(struct helpers **helpers, const char *dir, struct symbols *symbols,
			const struct findings_options *options, struct err *err)
{
	struct activity *activity = activity_new();
	struct trace *trace = NULL;
	struct event ev;
	int r = trace_open(&trace, dir, err);

	while (r == 0 && (r = trace_next(trace, &ev, err)) > 0) {
		activity_event(activity, &ev);
		r = 0;
	}
	if (r == 0)
		*helpers = helpers_find(trace, symbols, activity, options);
	trace_close(trace);
	activity_free(activity);
	return r;
}

/* findings.json does not contain the drawings of report.html.  They need the recording. */
static int drawings_make(struct findings *f, const char *dir, struct err *err)
{
	struct findings_options how = {
		.own = f->target.own.at,
		.own_count = f->target.own.count,
		.fold = f->target.fold.at,
		.fold_count = f->target.fold.count,
		.no_fold = f->target.no_fold.at,
		.no_fold_count = f->target.no_fold.count,
	};
	struct helpers *helpers = NULL;
	char trace[PATH_MAX];
	struct symbols *symbols;
	int r;

	if (path_make(trace, sizeof(trace), err, "%s/trace", dir) < 0)
		return -1;
	if (access(trace, F_OK) < 0) {
		fprintf(stderr, "note: there is no recording in %s, so the page has no drawings of cache lines\n", dir);
		return 0;
	}
	symbols = symbols_open(NULL);
	r = helpers_read(&helpers, dir, symbols, &how, err);
	how.helpers = helpers;
	if (r == 0)
		r = history_collect(f, dir, symbols, &how, err);
	helpers_free(helpers);
	symbols_close(symbols);
	return r;
}

int verdict_repeat(struct verdict *v, struct findings *f, const char *shown, struct err *err)
{
	if (v->format == REPORT_HTML && drawings_make(f, shown, err) < 0)
		return -1;
	findings_silence(v, f);
	if (findings_print(v, f, shown, err) < 0)
		return -1;
	return findings_status(v, f);
}
