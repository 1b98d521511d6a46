/* SPDX-License-Identifier: GPL-2.0-or-later */
/* analysis.c - see analysis.h. */
#include "analysis/analysis.h"

#include <stdlib.h>

#include "analysis/collect.h"
#include "analysis/counting.h"
#include "analysis/extent.h"
#include "analysis/silencers.h"
#include "analysis/testing.h"
#include "base/clock.h"
#include "base/mem.h"
#include "finding/suppress.h"
#include "plugin/runs.h"
#include "replay/folder.h"
#include "report/report.h"

struct analysis {
	const struct analysis_options *options;
	struct choice choice; /* the options' choice, without what needs a recovery command if there is none */
	struct silencers silencers;
	struct scan *scan;
	struct plugin_runs *plugins;
	struct counting counting;
	struct testing testing;
	struct operation_judging judging;
	struct findings *findings;
	bool following; /* another thread reads behind the recorder */
	const char *dir;
	double start;
	struct analysis_result result;
	struct err unwritten, untested, unproven;
};

int analysis_new(struct analysis **analysis, const struct analysis_options *options, struct err *err)
{
	struct analysis *a = *analysis = mem_alloc(sizeof(*a));
	const struct scan_options how = {.stop = options->stop, .progress = options->reading, .arg = options->arg};

	a->options = options;
	a->start = clock_seconds();
	a->choice = options->choice;
	if (!options->testing.recover)
		choice_without_recovery(&a->choice);
	a->scan = scan_new(&a->choice, &how);
	a->plugins = plugin_runs_new(options->testing.shard.index > 1 ? NULL : options->plugins, a->choice.platforms,
				     a->choice.platform_count);
	if (silencers_read(&a->silencers, options->suppress, options->suppress_count, options->baseline, err) < 0)
		return -1;
	if (!options->testing.recover || options->testing.maker)
		return 0;
	return campaign_check(&options->testing, options->elsewhere, err);
}

void analysis_free(struct analysis *a)
{
	if (!a)
		return;
	findings_free(a->findings);
	testing_free(&a->testing);
	operation_judging_close(&a->judging);
	counting_free(&a->counting);
	plugin_runs_free(a->plugins);
	scan_free(a->scan);
	silencers_free(&a->silencers);
	free(a);
}

void analysis_follow(struct analysis *a, const char *dir)
{
	a->following = true;
	scan_follow(a->scan, dir);
}

/* Plug-ins read the recording in processes of their own, at the same time as the scan, if there is no thread that a fork
 * would lose. */
int analysis_read(struct analysis *a, const char *dir, struct err *err)
{
	a->dir = dir;
	if (!a->following && plugin_runs_start(a->plugins, dir, err) < 0)
		return -1;
	if (scan_finish(a->scan, dir, err) < 0)
		return -1;
	if (a->following && plugin_runs_start(a->plugins, dir, err) < 0)
		return -1;
	plugin_runs_finish(a->plugins, scan_trace(a->scan), &a->options->stop);
	return 0;
}

struct scan *analysis_scan(struct analysis *a)
{
	return a->scan;
}

bool analysis_will_test(const struct analysis *a)
{
	return a->options->testing.recover && a->choice.strategy_count && trace_file_count(scan_trace(a->scan)) &&
	       scan_complete(a->scan);
}

/* Count first: it is quick, and the counts are valid even if the tests fail.  Shards leave it to the merge. */
static int crash_states_test(struct analysis *a, const struct analysis_facts *facts, struct err *err)
{
	const struct survey *survey = scan_survey(a->scan);
	struct campaign_options how = a->options->testing;

	how.dir = a->dir;
	how.out = facts->out;
	how.stop = a->options->stop;
	how.progress = a->options->progress;
	how.arg = a->options->arg;
	extent_choose(&how, a->options->operations.list, survey ? survey->points : NULL);
	if (!how.shard.total && counting_run(&a->counting, &a->choice, &how, a->options->stats, a->scan, err) < 0)
		return -1;
	how.segments = counting_chosen(&a->counting);
	if (facts->untested || !analysis_will_test(a))
		return 0;
	if (operation_judging_open(&a->judging, &a->options->operations, &how, a->scan, err) < 0)
		return -1;
	return testing_run(&a->testing, &a->choice, &how, a->scan, err);
}

/* If something cannot be written, the rest still is; the first failure is reported.  Folders of crash findings get
 * their final names; those of an earlier report are removed. */
static int reports_write(struct analysis *a, const struct analysis_facts *facts, struct err *err)
{
	const struct report_options how = {.dir = facts->out_shown, .fail_on = a->options->fail_on};
	struct campaign *campaign = a->testing.campaign;
	struct findings *f = a->findings;
	struct err more;
	int r = campaign ? campaign_finish(campaign, f, err) : folders_clear(facts->out, err);

	f->stats.seconds.total = clock_seconds() - a->start;
	if (a->options->write_suppressions && suppress_write(f, a->options->write_suppressions, r ? &more : err) < 0)
		r = -1;
	if (report_write_all(f, &how, facts->out, r ? &more : err) < 0)
		r = -1;
	return r;
}

const struct analysis_result *analysis_judge(struct analysis *a, const struct analysis_facts *facts)
{
	struct collection from = {
		.scan = a->scan,
		.plugins = a->plugins,
		.dir = a->dir,
		.choice = &a->choice,
		.counting = &a->counting,
		.places = a->options->places,
		.symbols = a->options->symbols,
		.recover = a->options->testing.recover,
		.testing = &a->options->testing,
		.stop = a->options->stop,
		.untested = facts->untested,
		.warning = facts->warning,
	};
	struct analysis_result *result = &a->result;

	if (crash_states_test(a, facts, &a->untested) < 0) {
		result->untested = &a->untested;
		from.untested = a->untested.sentence;
	}
	from.campaign = a->testing.campaign;
	from.judging = &a->judging;
	if (testing_judged_nothing(&a->testing, scan_trace(a->scan), &a->unproven)) {
		result->unproven = &a->unproven;
		from.warning = from.warning ? from.warning : a->unproven.sentence;
	}
	result->printed = a->testing.printed ? a->testing.printed : "";
	result->tests_left = a->testing.campaign && !campaign_complete(a->testing.campaign);
	a->findings = findings_make(&from, &a->unwritten);
	if (a->findings)
		silencers_apply(&a->silencers, a->findings);
	if (!a->findings || reports_write(a, facts, &a->unwritten) < 0)
		result->unwritten = &a->unwritten;
	result->findings = a->findings;
	return result;
}
