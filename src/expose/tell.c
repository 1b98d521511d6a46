/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tell.c - findings, figures and notes; see expose_in.h. */
#include <inttypes.h>

#include "expose/expose_in.h"

void expose_findings(const struct chooser *chooser, struct findings *f, const struct trace *trace,
		     struct symbols *symbols, const struct findings_options *options)
{
	const struct expose *x = chooser->state;

	tally_report(&x->tally, chooser->campaign->options.platforms, f, trace, symbols, options);
}

/* Of the findings, which are made before the figures. */
static uint64_t racing_stores(const struct findings *f)
{
	uint64_t stores = 0;

	for (size_t i = 0; i < f->count; i++)
		stores += f->at[i].kind == KIND_PERSISTENCY_RACE ? f->at[i].count : 0;
	return stores;
}

void expose_figures(const struct chooser *chooser, struct findings *f)
{
	const struct expose *x = chooser->state;

	f->stats.races.crash_points = figure_known(x->figures.points);
	f->stats.races.recoveries = figure_known(x->figures.recoveries);
	f->stats.races.loads = figure_known(x->figures.loads);
	f->stats.races.stores = figure_known(racing_stores(f));
	if (x->untried)
		f->stats.complete = figure_known(0);
}

static void recordings_note(const struct expose *x, struct findings *f)
{
	const struct expose_figures *n = &x->figures;

	if (n->unrecorded)
		findings_note(f, "on %" PRIu64 " crash state%s recovery could not be recorded%s%s", n->unrecorded,
			      n->unrecorded == 1 ? "" : "s", *x->why.sentence ? ": " : "", x->why.sentence);
	if (n->hung)
		findings_note(f,
			      "%" PRIu64 " recorded recover%s did not end in time; what %s had read by then counts "
			      "(--timeout gives more time)",
			      n->hung, n->hung == 1 ? "y" : "ies", n->hung == 1 ? "it" : "they");
	if (n->limited)
		findings_note(f,
			      "%" PRIu64
			      " recorded recover%s read or stored so often that the recording reached its size "
			      "limit; what came before counts",
			      n->limited, n->limited == 1 ? "y" : "ies");
	if (n->cut)
		findings_note(f, "%" PRIu64 " recorded recover%s read so much that only the beginning counts", n->cut,
			      n->cut == 1 ? "y" : "ies");
}

void expose_limits(const struct chooser *chooser, struct findings *f)
{
	const struct expose *x = chooser->state;
	const char *name;

	if (chooser->campaign->options.client) {
		findings_note(f, "with --client recovery cannot be recorded, so races were not looked for");
		return;
	}
	recordings_note(x, f);
	for (size_t i = 0; x->figures.recoveries && (name = checksums_unmet(x->checksums, i)); i++)
		findings_note(f, "recovery never read persistent memory in a function that matches --checksum %s",
			      name);
	if (x->stores.stores && !x->stores.known)
		findings_note(f, "the program was not compiled with blackout-cc or blackout-c++, so races are reported "
				 "only for stores that it makes in several pieces");
}

void expose_notes(const struct chooser *chooser, struct findings *f)
{
	const struct expose *x = chooser->state;

	if (x->untried)
		findings_note(f, "time was short: %" PRIu64 " crash point%s not tried for races", x->untried,
			      x->untried == 1 ? " was" : "s were");
	if (chooser->stopped)
		findings_note(f, "not all crash points were tried for races: %" PRIu64, x->figures.points);
}
