/* SPDX-License-Identifier: GPL-2.0-or-later */
/* campaign_report.c - add a campaign's results, figures and notes on untested states to the findings. */
#include <math.h>
#include <stdio.h>

#include "campaign/campaign.h"
#include "campaign/nested.h"
#include "crash/campaign_in.h"
#include "explore/explore.h"
#include "finding/merge.h"
#include "inject/inject.h"

enum { STRANGERS_TOLD = 5 };

static struct findings_figure figure(uint64_t value)
{
	return (struct findings_figure){.value = value, .known = true};
}

static void note_add(struct findings *f, const char *note)
{
	vec_push(&f->notes, findings_text(f, note));
}

/* Notes on limits that explore ran into. */
static void explore_notes(const struct campaign *c, struct findings *f)
{
	struct explore_figures e = explore_figures(c);
	char note[1024];

	if (e.eager) {
		snprintf(
			note, sizeof(note),
			"in %llu segment%s crash states were not decided by what recovery reads (%s), but tried one by one%s",
			(unsigned long long)e.eager, e.eager == 1 ? "" : "s",
			e.reason    ? e.reason
			: c->reason ? c->reason
				    : "no fork server",
			e.observed ? ", over the lines that it was seen to read when it was observed" : "");
		note_add(f, note);
	}
	if (e.left_in) {
		snprintf(
			note, sizeof(note),
			"%s%.3g sets of stores were left out in %llu segment%s; the most suspicious were tested, and some by chance",
			isinf(e.left_out) ? "more than " : "", isinf(e.left_out) ? 1e308 : e.left_out,
			(unsigned long long)e.left_in, e.left_in == 1 ? "" : "s");
		note_add(f, note);
	}
	if (e.stopped) {
		snprintf(note, sizeof(note), "crashes after event %llu of %llu were not explored",
			 (unsigned long long)e.stopped, (unsigned long long)c->survey->events);
		note_add(f, note);
	}
}

static void hang_notes(const struct campaign *c, struct findings *f)
{
	struct hangs_figures hangs = hangs_figures(c);
	char note[1024];

	if (hangs.left_out) {
		snprintf(
			note, sizeof(note),
			"%llu crash states were not tested: at their failure points recovery was seen to hang several times",
			(unsigned long long)hangs.left_out);
		note_add(f, note);
	}
	if (hangs.unconfirmed) {
		snprintf(
			note, sizeof(note),
			"on %llu crash state%s recovery did not end within the time limit of %g s; no time was left to see whether it hangs or is slow, and %s not among the findings",
			(unsigned long long)hangs.unconfirmed, hangs.unconfirmed == 1 ? "" : "s", c->options.timeout,
			hangs.unconfirmed == 1 ? "it is" : "they are");
		note_add(f, note);
	}
}

static void stranger_notes(const struct campaign *c, struct findings *f)
{
	char note[1024];
	size_t length, told = 0;

	if (!c->strangers.count)
		return;
	length = (size_t)
		snprintf(note, sizeof(note),
			 "%zu new file%s beside the PM files, which recovery was not seen to make, %s left where %s",
			 c->strangers.count, c->strangers.count == 1 ? "" : "s",
			 c->strangers.count == 1 ? "was" : "were", c->strangers.count == 1 ? "it is" : "they are");
	for (; told < c->strangers.count && told < STRANGERS_TOLD && length < sizeof(note); told++)
		length += (size_t)snprintf(note + length, sizeof(note) - length, "%s %s", told ? "," : ":",
					   c->strangers.at[told]);
	note_add(f, note);
}

static void states_note(struct findings *f, uint64_t states, const char *what)
{
	char note[256];

	if (!states)
		return;
	snprintf(note, sizeof(note), "on %llu crash state%s %s", (unsigned long long)states, states == 1 ? "" : "s",
		 what);
	note_add(f, note);
}

/* States whose recovery was not crashed because there are too many. */
static uint64_t nested_beyond(const struct campaign *c)
{
	return c->nested->states - c->nested->crashed - c->nested->failing - c->nested->unreadable;
}

static void inject_notes(const struct campaign *c, struct findings *f)
{
	uint64_t expects = campaign_expects(c);
	char note[256];

	if (!c->inject_stopped)
		return;
	int used = snprintf(note, sizeof(note), "not all crash states were tested: %llu",
			    (unsigned long long)c->found.tested);
	if (expects)
		snprintf(note + used, sizeof(note) - (size_t)used, " of at most %llu", (unsigned long long)expects);
	note_add(f, note);
}

static void pages_note(const struct campaign *c, struct findings *f)
{
	uint64_t sampled = explore_figures(c).pages_sampled;
	char note[256];

	if (!sampled)
		return;
	snprintf(
		note, sizeof(note),
		"before %llu sync%s many pages were pending: an even sample was tried in different orders; --detect explore "
		"tries all",
		(unsigned long long)sampled, sampled == 1 ? "" : "s");
	note_add(f, note);
}

static void notes_add(const struct campaign *c, struct findings *f)
{
	if (c->options.explore)
		explore_notes(c, f);
	states_note(f, c->found.accepted,
		    "recovery ends as it does before the run: creation was rolled back, which is accepted");
	states_note(
		f, c->results.flaky,
		"recovery failed, but passed when it was run again alone: it depends on more than the PM files (chance, or "
		"files that recoveries share), and they are not among the findings");
	states_note(f, c->nested->failing,
		    "recovery was not crashed in turn: it fails on what it leaves itself, without any crash");
	states_note(f, nested_beyond(c),
		    c->options.explore
			    ? "recovery was not crashed in turn: of those with everything or nothing pending on media "
			      "an even sample was taken, and of the others those that differ most"
			    : "recovery was not crashed in turn: an even sample was taken");
	states_note(f, c->nested->unreadable,
		    "recovery was not crashed in turn: its recording does not have all PM files");
	states_note(f, c->nested->partly,
		    "recovery was crashed in turn, but not all that a second crash may leave was tested");
	hang_notes(c, f);
	stranger_notes(c, f);
	inject_notes(c, f);
	pages_note(c, f);
}

static void narrowed_add(const struct campaign *c, struct findings *f)
{
	const char *const options[][2] = {{"--points", c->options.points}, {"--after", c->options.after}};
	char text[1024];

	for (size_t i = 0; i < sizeof(options) / sizeof(*options); i++) {
		if (!options[i][1])
			continue;
		snprintf(text, sizeof(text), "%s %s", options[i][0], options[i][1]);
		vec_push(&f->narrowed, findings_text(f, text));
	}
}

static void figures_add(const struct campaign *c, struct findings *f)
{
	struct explore_figures explored = explore_figures(c);
	char mode[1024];

	if (c->options.inject) {
		f->stats.failure_points.visited = figure(points_visited(c->survey->points));
		f->stats.failure_points.unique = figure(points_unique(c->survey->points));
	}
	f->stats.crash_states.distinct = figure(c->found.distinct);
	if (c->options.explore) {
		f->stats.crash_states.explored = figure(explored.all);
		f->stats.segments.explored = figure(explored.complete);
		f->stats.segments.partial = figure(explored.partial);
		f->stats.segments.untested = figure(explored.waiting);
	}
	f->stats.crash_states.tested = figure(c->found.tested);
	f->stats.crash_states.failed = figure(c->found.failed);
	f->stats.crash_states.accepted = figure(c->found.accepted);
	if (c->options.nested && !c->options.client) {
		f->stats.nested.states = figure(c->nested->states);
		f->stats.nested.crashed = figure(c->nested->crashed);
	}
	if (c->stopped || explored.partial || explored.waiting)
		f->stats.complete = figure(0);
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

	for (size_t i = 0; i < c->results.all.count; i++)
		crash_add(crash, &c->results.all.at[i].sighting);
	crash_end(crash);
	findings_merge(f);
	nested_report(c, f, symbols, options);
	figures_add(c, f);
	narrowed_add(c, f);
	notes_add(c, f);
}
