/* SPDX-License-Identifier: GPL-2.0-or-later */
/* search_report.c - the findings of a search, with its figures and notes; see input_search.h. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "search/input_search_in.h"
#include "search/kept_input.h"
#include "search/marks.h"
#include "search/unreached.h"

enum { CONCRETES_NAMED = 5 };

static void input_show(struct input_search *s, struct findings *f, struct finding *finding)
{
	const struct gathering_entry *entry = gathering_find(s->gathering, finding->fingerprint);
	const struct input *input = &s->attempts.at[entry->execution - 1].input;
	struct input marks = {0};
	struct words lines = {0};
	const char **copy;

	marks_make(s, entry, &marks);
	kept_input_lines(&lines, s->plan.sources, input, &marks);
	copy = findings_block(f, lines.count, sizeof(*copy));
	for (size_t i = 0; i < lines.count; i++)
		copy[i] = findings_text(f, lines.items[i]);
	finding->input.lines = copy;
	finding->input.line_count = lines.count;
	words_free(&lines);
	input_free(&marks);
}

static uint64_t concretised(const struct input_search *s)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < s->concretes.count; i++)
		sum += s->concretes.at[i].count;
	return sum;
}

static void figures_fill(const struct input_search *s, struct findings *f)
{
	f->stats.search.executions = figure_known(s->executions);
	f->stats.search.inputs = figure_known(s->inputs);
	f->stats.search.branches = figure_known(s->sides.taken);
	f->stats.search.solved = figure_known(s->solved);
	f->stats.search.unsat = figure_known(s->unsat);
	f->stats.search.unknown = figure_known(s->unknown);
	f->stats.search.concretised = figure_known(concretised(s));
	f->stats.search.pm_reached = figure_known(reach_reached(s->reach));
	f->stats.search.pm_known = figure_known(reach_count(s->reach));
	f->stats.complete = figure_known(s->complete);
}

static int concrete_compare(const void *a, const void *b)
{
	const struct route_concrete *x = a, *y = b;

	return x->count != y->count ? (x->count < y->count ? 1 : -1) : strcmp(x->name, y->name);
}

static void concretes_note(struct input_search *s, struct findings *f)
{
	char names[1024] = "";
	size_t used = 0;

	if (!s->concretes.count)
		return;
	qsort(s->concretes.at, s->concretes.count, sizeof(*s->concretes.at), concrete_compare);
	for (size_t i = 0; i < s->concretes.count && i < CONCRETES_NAMED && used < sizeof(names); i++)
		used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s (%" PRIu64 ")", i ? ", " : "",
					 s->concretes.at[i].name, s->concretes.at[i].count);
	findings_note(
		f,
		"the results of some operations on input were taken as they were, so branches that depend on them "
		"were not turned: %s%s",
		names, s->concretes.count > CONCRETES_NAMED ? " and others" : "");
}

/* Why a search that went on to its end would find more. */
static void incomplete_note(const struct input_search *s, struct findings *f)
{
	size_t left = s->queue.heap.count;
	uint64_t dropped = input_search_dropped(s);
	bool tests_left = input_search_tests_left(s);

	if (left)
		findings_note(f, "the search is not complete: %zu branch%s not turned", left,
			      left == 1 ? " was" : "es were");
	if (dropped)
		findings_note(f,
			      "the search is not complete: %" PRIu64 " branch%s dropped, because there were too many",
			      dropped, dropped == 1 ? " was" : "es were");
	if (tests_left)
		findings_note(f, "the search is not complete: crash states of some inputs were not tested");
	if (!left && !dropped && !tests_left)
		findings_note(f, "the search is not complete");
}

static void notes_fill(struct input_search *s, struct findings *f)
{
	uint64_t lost = turner_lost(s->turner);

	for (size_t i = 0; i < s->notes.count; i++)
		findings_note(f, "%s", s->notes.at[i]);
	if (s->unknown)
		findings_note(f, "for %" PRIu64 " branch%s the solver found no answer", s->unknown,
			      s->unknown == 1 ? "" : "es");
	if (lost)
		findings_note(f,
			      "%" PRIu64 " question%s had no answer because the solver died, or was slow beyond all "
			      "measure: another search may find one",
			      lost, lost == 1 ? "" : "s");
	concretes_note(s, f);
	unreached_note(f, s->reach, s->plan.symbols, &s->plan.how->places);
	if (!s->complete)
		incomplete_note(s, f);
}

/* An input that was made smaller is kept when its finding's turn is over; but the search may have ended before, and smaller
 * inputs for one finding may show others. */
static void inputs_keep(struct input_search *s)
{
	struct err ignored;

	for (size_t i = 0; i < gathering_count(s->gathering); i++)
		input_search_keep(s, gathering_at(s->gathering, i)->execution, &ignored);
}

struct findings *input_search_findings(struct input_search *s)
{
	struct findings *f;

	if (!s->executions)
		return NULL;
	inputs_keep(s);
	f = gathering_findings(s->gathering);
	f->target.recover = findings_text(f, s->plan.how->testing.recover);
	f->target.client = findings_text(f, s->plan.client);
	for (size_t i = 0; i < f->count; i++)
		input_show(s, f, &f->at[i]);
	notes_fill(s, f);
	figures_fill(s, f);
	findings_number(f);
	return f;
}

int input_search_folders(struct input_search *s, struct findings *findings, struct err *err)
{
	return gathering_folders(s->gathering, findings, s->plan.dir, err);
}
