/* SPDX-License-Identifier: GPL-2.0-or-later */
/* coverage.c - see coverage.h. */
#include "report/coverage.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "finding/finding.h"
#include "report/formats.h"

enum { MISSING_NAMED = 10 };

static void add(char *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add(char *text, const char *format, ...)
{
	size_t used = strlen(text);
	va_list args;

	va_start(args, format);
	vsnprintf(text + used, COVERAGE_MAX - used, format, args);
	va_end(args);
}

static uint64_t value(struct findings_figure figure)
{
	return figure.known ? figure.value : 0;
}

/* "30 of these were explored completely, 3 partly, 2 not at all" */
static void parts_add(char *text, const struct findings_stats *stats, const char *of)
{
	uint64_t explored = value(stats->segments.explored), partial = value(stats->segments.partial),
		 untested = value(stats->segments.untested);
	char number[40];

	add(text, "%s%s %s explored completely", grouped_text(number, explored, " "), of,
	    explored == 1 ? "was" : "were");
	if (partial)
		add(text, ", %s partly", grouped_text(number, partial, " "));
	if (untested)
		add(text, ", %s not at all", grouped_text(number, untested, " "));
	add(text, ".");
}

static void segments_add(char *text, const struct findings_stats *stats)
{
	uint64_t explored = value(stats->segments.explored),
		 chosen = explored + value(stats->segments.partial) + value(stats->segments.untested);
	bool is_whole = explored == chosen;
	char number[40], total[40];

	grouped_text(number, chosen, " ");
	grouped_text(total, value(stats->segments.total), " ");
	if (value(stats->segments.left_out)) {
		add(text, " %s of %s segments %s; ", number, total,
		    chosen != value(stats->segments.unique) ? "were chosen by the code that they run"
		    : chosen == 1                           ? "runs different code"
							    : "run different code");
		if (is_whole)
			add(text,
			    chosen == 1 ? "it was explored completely." : "all of these were explored completely.");
		else
			parts_add(text, stats, " of these");
	} else if (is_whole) {
		add(text,
		    chosen == 1 ? " The one segment was explored completely."
				: " All %s segments were explored completely.",
		    number);
	} else {
		add(text, " Of %s segment%s, ", number, chosen == 1 ? "" : "s");
		parts_add(text, stats, "");
	}
}

/* True if there is nothing that explore could have left out. */
static bool is_everything(const struct findings *f)
{
	const struct findings_stats *s = &f->stats;

	return !value(s->segments.left_out) && !value(s->segments.partial) && !value(s->segments.untested) &&
	       value(s->threads) <= 1 && !f->narrowed.count && !(s->complete.known && !s->complete.value);
}

static void explored_add(char *text, const struct findings *f)
{
	if (is_everything(f)) {
		add(text, f->stats.nested.states.known ? " Every state of a single crash that can matter was tested."
						       : " Every crash state that can matter was tested.");
		return;
	}
	segments_add(text, &f->stats);
	if (value(f->stats.threads) > 1)
		add(text, " Other interleavings of the threads were not tested.");
}

static void narrowed_add(char *text, const struct findings *f)
{
	for (size_t i = 0; i < f->narrowed.count; i++)
		add(text, "%s%s", !i ? " Testing was limited by " : " and ", f->narrowed.at[i]);
	if (f->narrowed.count)
		add(text, ".");
}

static void nested_add(char *text, const struct findings_stats *stats)
{
	char crashed[40], states[40];

	if (stats->nested.states.known)
		add(text, " Recovery itself was crashed on %s of %s crash state%s.",
		    grouped_text(crashed, value(stats->nested.crashed), " "),
		    grouped_text(states, value(stats->nested.states), " "),
		    value(stats->nested.states) == 1 ? "" : "s");
}

static void operations_add(char *text, const struct findings_stats *stats)
{
	char crashed[40], total[40], masked[40];

	if (!stats->operations.total.known)
		return;
	add(text, " The power failed in %s of %s operation%s.",
	    grouped_text(crashed, value(stats->operations.crashed_in), " "),
	    grouped_text(total, value(stats->operations.total), " "), value(stats->operations.total) == 1 ? "" : "s");
	if (value(stats->operations.nondeterministic))
		add(text,
		    " After %s of them, recovery does not always print the same; lines that vary were not compared.",
		    grouped_text(masked, value(stats->operations.nondeterministic), " "));
}

/* Invariants are sites that order or guard, so the numbers add up. */
static void invariants_add(char *text, const struct findings_stats *stats)
{
	uint64_t inferred = value(stats->invariants.ordering) + value(stats->invariants.atomicity);
	char number[40], violable[40], tested[40], confirmed[40];

	if (!stats->invariants.ordering.known)
		return;
	add(text, " Of %s likely invariant%s, a crash can violate %s", grouped_text(number, inferred, " "),
	    inferred == 1 ? "" : "s", grouped_text(violable, value(stats->invariants.violable), " "));
	if (stats->invariants.tested.known && value(stats->invariants.violable))
		add(text, "; %s %s tested, and violating %s of them makes recovery fail",
		    grouped_text(tested, value(stats->invariants.tested), " "),
		    value(stats->invariants.tested) == 1 ? "was" : "were",
		    grouped_text(confirmed, value(stats->invariants.confirmed), " "));
	add(text, ".");
}

static void races_add(char *text, const struct findings_stats *stats)
{
	char points[40], recoveries[40], stores[40];

	if (!stats->races.recoveries.known)
		return;
	if (!value(stats->races.recoveries)) {
		add(text, " Races were not looked for: no recovery was recorded.");
		return;
	}
	add(text, " For races, recovery was recorded on %s state%s of %s crash point%s: ",
	    grouped_text(recoveries, value(stats->races.recoveries), " "),
	    value(stats->races.recoveries) == 1 ? "" : "s", grouped_text(points, value(stats->races.crash_points), " "),
	    value(stats->races.crash_points) == 1 ? "" : "s");
	if (value(stats->races.stores))
		add(text, "%s store%s.", grouped_text(stores, value(stats->races.stores), " "),
		    value(stats->races.stores) == 1 ? " races" : "s race");
	else
		add(text, "no store races.");
}

/* "3", "3 and 5", "3, 5 and 6". */
static void missing_add(char *text, const struct findings *f)
{
	size_t count = f->missing.count, named = count < MISSING_NAMED ? count : MISSING_NAMED;

	if (!count)
		return;
	add(text, count == 1 ? " Part" : " Parts");
	for (size_t i = 0; i < named; i++)
		add(text, "%s %" PRIu64, !i ? "" : i + 1 < count ? "," : " and", f->missing.at[i]);
	if (named < count)
		add(text, " and %zu more", count - named);
	add(text, " of %" PRIu64 " %s missing.", value(f->stats.shards), count == 1 ? "is" : "are");
}

/* A part says only that it is one: the rest is known when all are together. */
static void shard_add(char *text, const struct findings_stats *stats)
{
	add(text, " This is part %" PRIu64 " of %" PRIu64 ": blackout merge finds the causes of failures.",
	    value(stats->shard.index), value(stats->shard.total));
}

/* Was every failure point tested, and not only looked at? */
static bool points_were_tested(const struct findings_stats *stats)
{
	return stats->failure_points.unique.known ||
	       (!stats->invariants.ordering.known && !stats->races.recoveries.known);
}

/* Each sentence has a space before it. */
static void sentences_add(char *text, const struct findings *f)
{
	const struct findings_stats *stats = &f->stats;
	bool is_complete = !stats->complete.known || stats->complete.value;

	if (f->warnings.count) {
		add(text, " Crash states were not judged: see the warning.");
		return;
	}
	if (!f->target.recover) {
		add(text, " Crash states were %s: --recover was not given.",
		    stats->crash_states.feasible.known ? "counted, not tested" : "not tested");
		invariants_add(text, stats);
		return;
	}
	if (!stats->crash_states.tested.known) {
		add(text, " Crash states were not tested.");
		return;
	}
	if (!is_complete)
		add(text, " Not all crash states were tested.");
	missing_add(text, f);
	if (stats->shard.total.known) {
		shard_add(text, stats);
		return;
	}
	if (stats->segments.explored.known)
		explored_add(text, f);
	else if (is_complete && points_were_tested(stats))
		add(text,
		    f->narrowed.count ? " Every chosen failure point was tested." : " Every failure point was tested.");
	narrowed_add(text, f);
	nested_add(text, stats);
	operations_add(text, stats);
	invariants_add(text, stats);
	races_add(text, stats);
}

void coverage_text(const struct findings *f, char *text)
{
	*text = '\0';
	sentences_add(text, f);
	memmove(text, text + 1, strlen(text));
}
