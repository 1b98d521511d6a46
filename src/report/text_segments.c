/* SPDX-License-Identifier: GPL-2.0-or-later */
/* text_segments.c - how many crash states there are, and where: the figures of `explore` without recovery. */
#include <inttypes.h>
#include <string.h>

#include "report/text_out.h"

/* "3 009 feasible crash states in 1 004 segments" */
void text_counted(struct text *t, const struct findings_stats *stats)
{
	char feasible[40], distinct[40], segments[40], left_out[40], line[512];
	int used;

	if (!stats->crash_states.feasible.known || !stats->segments.total.known)
		return;
	used = snprintf(line, sizeof(line), "counted %s feasible crash state%s in %s segment%s",
			figure_text(feasible, stats->crash_states.feasible, " "),
			stats->crash_states.feasible.value == 1 ? "" : "s",
			figure_text(segments, stats->segments.total, " "), stats->segments.total.value == 1 ? "" : "s");
	if (stats->segments.left_out.known && stats->segments.left_out.value)
		used += snprintf(line + used, sizeof(line) - (size_t)used,
				 ", of which %s repeat%s code seen before and %s left out",
				 figure_text(left_out, stats->segments.left_out, " "),
				 stats->segments.left_out.value == 1 ? "s" : "",
				 stats->segments.left_out.value == 1 ? "is" : "are");
	if (stats->crash_states.distinct.known && !stats->crash_states.tested.known)
		snprintf(line + used, sizeof(line) - (size_t)used, "; %s different content%s",
			 figure_text(distinct, stats->crash_states.distinct, " "),
			 stats->crash_states.distinct.value == 1 ? "" : "s");
	text_wrap(t, line, 0);
	text_newline(t);
}

/* From all sequences of stores down to the states that recovery ran on. */
void text_funnel(struct text *t, const struct findings_stats *stats)
{
	static const char *const says[] = {
		"sequences in which stores can reach media",
		"sets of stores on media (feasible)",
		"different contents",
		"after pruning by segments",
		"after pruning by reads",
		"tested",
	};
	const struct findings_figure figures[] = {
#define X(name) stats->funnel.name,
		FINDINGS_FUNNEL(X)
#undef X
	};
	char figure[40], line[128];

	if (!stats->funnel.sets.known)
		return;
	text_print(t, "funnel of crash states:");
	text_newline(t);
	for (size_t i = 0; i < sizeof(figures) / sizeof(*figures); i++) {
		if (!figures[i].known)
			continue;
		snprintf(line, sizeof(line), "%16s  %s", figure_text(figure, figures[i], " "), says[i]);
		text_print(t, line);
		text_newline(t);
	}
	text_newline(t);
}

/* "kv.c:9 in fence, from kv.c:19 in resize": includes the caller, because few programs flush and fence in place. */
static void place_text(const struct finding_stack *stack, char *text, size_t size)
{
	size_t caller = stack->location + 1, used;

	frame_text(stack_location(stack), text, size);
	used = strlen(text);
	if (caller < stack->count && stack->frames[caller].own && used + 8 < size) {
		used += (size_t)snprintf(text + used, size - used, ", from ");
		frame_text(&stack->frames[caller], text + used, size - used);
	}
}

static void text_site(struct text *t, const struct findings_site *site)
{
	char place[512], number[40], unflushed[64] = "", line[1024];

	place_text(&site->stack, place, sizeof(place));
	if (site->unflushed == site->stores)
		snprintf(unflushed, sizeof(unflushed), ", not flushed");
	else if (site->unflushed)
		snprintf(unflushed, sizeof(unflushed), ", %" PRIu64 " of them not flushed", site->unflushed);
	snprintf(line, sizeof(line), "%s stored at %s%s", grouped_text(number, site->stores, " "), place, unflushed);
	text_paragraph(t, NULL, line);
}

static void text_segment(struct text *t, const struct findings_segment *segment)
{
	char feasible[40], stores[40], number[32], line[1024], place[512] = "the end of the recording";

	if (segment->end.count)
		place_text(&segment->end, place, sizeof(place));
	snprintf(number, sizeof(number), "#%" PRIu64 " ", segment->last);
	snprintf(line, sizeof(line), "%s crash state%s of %s pending store%s before %s",
		 figure_text(feasible, segment->feasible, " "), segment->feasible.value == 1 ? "" : "s",
		 grouped_text(stores, segment->stores, " "), segment->stores == 1 ? "" : "s", place);
	text_style(t, STYLE_DIM);
	text_print(t, number);
	text_style(t, STYLE_PLAIN);
	text_wrap(t, line, INDENT);
	text_newline(t);
	for (size_t i = 0; i < segment->site_count; i++)
		text_site(t, &segment->sites[i]);
	if (segment->site_total > segment->site_count) {
		snprintf(line, sizeof(line), "and at %" PRIu64 " more places",
			 segment->site_total - segment->site_count);
		text_paragraph(t, NULL, line);
	}
}

void text_segments(struct text *t, const struct findings *findings)
{
	if (!findings->segments.count)
		return;
	text_print(t, "segments with the most crash states; #N: the crash comes after event N:");
	text_newline(t);
	for (size_t i = 0; i < findings->segments.count; i++)
		text_segment(t, &findings->segments.at[i]);
	text_newline(t);
}
