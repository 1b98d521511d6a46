/* SPDX-License-Identifier: GPL-2.0-or-later */
/* campaign_report.c - add a campaign's results, figures and notes on untested states to the findings. */
#include <inttypes.h>
#include <stdio.h>

#include "campaign/campaign.h"
#include "campaign/nested.h"
#include "crash/strategy.h"
#include "finding/merge.h"

enum { FOREIGN_FILES_NAMED = 5 };

static void hang_notes(const struct campaign *c, struct findings *f)
{
	struct hangs_figures hangs = hangs_figures(c);

	if (hangs.left_out)
		findings_note(f,
			      "%" PRIu64
			      " crash states were not tested: recovery hung several times at their failure points",
			      hangs.left_out);
	if (hangs.unconfirmed)
		findings_note(f,
			      "on %" PRIu64
			      " crash state%s recovery did not end within the time limit of %g s; no time was "
			      "left to tell a hang from a slow recovery, so %s not among the findings",
			      hangs.unconfirmed, hangs.unconfirmed == 1 ? "" : "s", c->options.timeout,
			      hangs.unconfirmed == 1 ? "it is" : "they are");
}

static void foreign_file_notes(const struct campaign *c, struct findings *f)
{
	bool one = c->foreign_files.count == 1;
	char names[1024];
	size_t length = 0;

	if (!c->foreign_files.count)
		return;
	for (size_t i = 0; i < c->foreign_files.count && i < FOREIGN_FILES_NAMED && length < sizeof(names); i++)
		length += (size_t)snprintf(names + length, sizeof(names) - length, "%s %s", i ? "," : ":",
					   c->foreign_files.at[i]);
	findings_note(f,
		      "%zu new file%s beside the PM files %s left in place, because recovery was not seen to make %s%s",
		      c->foreign_files.count, one ? "" : "s", one ? "was" : "were", one ? "it" : "them", names);
}

static void states_note(struct findings *f, uint64_t states, const char *what)
{
	if (states)
		findings_note(f, "on %" PRIu64 " crash state%s %s", states, states == 1 ? "" : "s", what);
}

/* Does a strategy offer states other than extreme ones? */
static bool has_candidates(const struct campaign *c)
{
	for (size_t i = 0; i < c->options.strategy_count; i++)
		if (c->options.strategies[i]->candidates)
			return true;
	return false;
}

static void nested_notes(const struct campaign *c, struct findings *f)
{
	const struct nested *n = c->nested;

	states_note(f, n->failing,
		    "recovery itself was not crashed: it fails on the state that it leaves, without any crash");
	states_note(
		f, n->states - n->crashed - n->failing - n->unreadable,
		has_candidates(c)
			? "recovery itself was not crashed: of the states with all or none of the pending stores on "
			  "media an even sample was tested, and of the others those that differ most"
			: "recovery itself was not crashed: an even sample was tested");
	states_note(f, n->unreadable, "recovery itself was not crashed: its recording does not have all PM files");
	states_note(f, n->partly, "recovery itself was crashed, but not all states that this may leave were tested");
}

static void checkpoints_note(const struct campaign *c, struct findings *f)
{
	if (outcomes_are_distrusted(c->outcomes))
		findings_note(f, "recovery gave a different result from a checkpoint than from its start: checkpoints "
				 "were switched off, and passes from them do not count");
}

static void notes_add(const struct campaign *c, struct findings *f)
{
	for (size_t i = 0; i < c->options.strategy_count; i++)
		if (c->options.strategies[i]->limits)
			c->options.strategies[i]->limits(&c->choosers[i], f);
	states_note(f, c->found.accepted,
		    "recovery ended as it does before the run: creation was rolled back, which is accepted");
	states_note(f, c->results.flaky,
		    "recovery failed, but passed when it was run again alone: it depends on more than the PM files "
		    "(chance, or files that recoveries share), so this is not among the findings");
	states_note(f, c->results.unexamined,
		    "recovery printed lines before the right output; no time was left to see whether it prints them "
		    "whenever it recovers, so this is not among the findings");
	nested_notes(c, f);
	hang_notes(c, f);
	checkpoints_note(c, f);
	foreign_file_notes(c, f);
	for (size_t i = 0; i < c->options.strategy_count; i++)
		if (c->options.strategies[i]->notes)
			c->options.strategies[i]->notes(&c->choosers[i], f);
}

/* Which of the strategies choose failure points: " for inject and races"; empty if all do. */
static size_t strategies_at_points(const struct campaign *c, char *names, size_t size)
{
	size_t found = 0;

	names[0] = '\0';
	for (size_t i = 0; i < c->options.strategy_count; i++) {
		size_t length = strlen(names);
		if (c->options.strategies[i]->at_points)
			snprintf(names + length, size - length, "%s %s", found++ ? " and" : " for",
				 c->options.strategies[i]->name);
	}
	if (found == c->options.strategy_count)
		names[0] = '\0';
	return found;
}

static void points_narrowed_add(const struct campaign *c, struct findings *f)
{
	char names[128], text[1024];

	if (!c->options.points)
		return;
	if (!strategies_at_points(c, names, sizeof(names))) {
		findings_note(f, "--points changed nothing: only inject and races choose failure points");
		return;
	}
	snprintf(text, sizeof(text), "--points %s%s", c->options.points, names);
	vec_push(&f->narrowed, findings_text(f, text));
}

static void narrowed_add(const struct campaign *c, struct findings *f)
{
	char text[1024];

	points_narrowed_add(c, f);
	if (!c->options.after)
		return;
	snprintf(text, sizeof(text), "--after %s", c->options.after);
	vec_push(&f->narrowed, findings_text(f, text));
}

static void checkpoints_figures_add(const struct campaign *c, struct findings *f)
{
	struct checkpoints_figures figures = {0};

	if (c->checkpoints)
		figures = checkpoints_figures(c->checkpoints);
	if (!figures.used && !figures.known)
		return;
	f->stats.checkpoints.used = figure_known(figures.used);
	f->stats.checkpoints.known = figure_known(figures.known);
	f->stats.checkpoints.confirmed = figure_known(figures.confirmed);
	f->stats.checkpoints.differences = figure_known(figures.differences);
}

static void figures_add(const struct campaign *c, struct findings *f)
{
	char mode[1024];

	f->stats.crash_states.distinct = figure_known(c->found.distinct);
	f->stats.crash_states.tested = figure_known(c->found.tested);
	f->stats.crash_states.failed = figure_known(c->found.failed);
	f->stats.crash_states.accepted = figure_known(c->found.accepted);
	if (c->options.nested && !c->options.client) {
		f->stats.nested.states = figure_known(c->nested->states);
		f->stats.nested.crashed = figure_known(c->nested->crashed);
	}
	checkpoints_figures_add(c, f);
	if (c->stopped)
		f->stats.complete = figure_known(0);
	for (size_t i = 0; i < c->options.strategy_count; i++)
		if (c->options.strategies[i]->figures)
			c->options.strategies[i]->figures(&c->choosers[i], f);
	f->stats.seconds.recover = c->progress.seconds;
	f->target.recover = findings_text(f, c->options.recover);
	f->target.client = findings_text(f, c->options.client);
	if (!c->mode)
		return;
	snprintf(mode, sizeof(mode), "%s%s%s", c->mode, c->reason ? ": " : "", c->reason ? c->reason : "");
	f->target.mode = findings_text(f, mode);
}

void campaign_report(struct campaign *c, struct findings *f, const struct trace *trace, struct symbols *symbols,
		     const struct findings_options *options)
{
	struct crash_findings *crash = crash_begin(f, trace, symbols, options);

	for (size_t i = 0; i < c->results.all.count; i++) {
		const char *names[STRATEGY_SET_MAX];
		struct crash_sighting sighting = result_sighting(c, &c->results.all.at[i], trace, names);

		crash_add(crash, &sighting);
	}
	crash_end(crash);
	for (size_t i = 0; i < c->options.strategy_count; i++)
		if (c->options.strategies[i]->findings)
			c->options.strategies[i]->findings(&c->choosers[i], f, trace, symbols, options);
	findings_merge(f);
	nested_report(c, f, symbols, options);
	figures_add(c, f);
	narrowed_add(c, f);
	notes_add(c, f);
}
