/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tally.c - see tally.h. */
#include "expose/tally.h"

#include <stdlib.h>

#include "finding/race_finding.h"

/* How much a reason tells the user about the program: whether the power could have failed before a flush depends on the
 * moment, but a flush that proves nothing is a matter of what recovery reads. */
static unsigned reason_rank(enum race_reason reason)
{
	switch (reason) {
	case RACE_UNPROVED: return 3;
	case RACE_UNORDERED: return 2;
	case RACE_UNFENCED: return 1;
	default: return 0;
	}
}

static struct racing *racing_at(struct tally *t, size_t platform, const struct race *race)
{
	uint64_t *index = map_put(&t->index, platform, race->context);

	if (!*index) {
		vec_push(&t->all, ((struct racing){.platform = platform, .context = race->context}));
		*index = t->all.count;
	}
	return &t->all.at[*index - 1];
}

static bool describes_better(const struct racing *r, const struct race *race)
{
	bool torn = race->units > 1;

	return !r->loads.count || (torn && !r->torn) ||
	       (torn == r->torn && reason_rank(race->reason) > reason_rank(r->reason));
}

static void racing_add_load(struct racing *r, uint32_t stack)
{
	for (size_t i = 0; i < r->loads.count; i++)
		if (r->loads.at[i] == stack)
			return;
	vec_push(&r->loads, stack);
}

void tally_add(struct tally *t, size_t platform, const struct race *race)
{
	struct racing *r = racing_at(t, platform, race);
	uint64_t *known = map_put(&t->events, platform, race->event);

	if (!*known)
		vec_push(&r->events, race->event);
	*known = 1;
	if (describes_better(r, race)) {
		r->torn = race->units > 1;
		r->reason = race->reason;
		r->flush = race->flush_context;
		r->first = (struct sighting_example){race->file, (uint32_t)race->size, race->offset, race->event};
	}
	r->known |= race->atomicity != BO_ATOMICITY_UNKNOWN;
	racing_add_load(r, race->load->context);
}

/* Findings */

static enum finding_form form_of(const struct racing *r)
{
	switch (r->reason) {
	case RACE_UNPROVED: return r->torn ? FORM_PERSISTENCY_RACE_TORN_UNPROVED : FORM_PERSISTENCY_RACE_PLAIN_UNPROVED;
	case RACE_UNORDERED:
		return r->torn ? FORM_PERSISTENCY_RACE_TORN_UNORDERED : FORM_PERSISTENCY_RACE_PLAIN_UNORDERED;
	case RACE_UNFENCED: return r->torn ? FORM_PERSISTENCY_RACE_TORN_UNFENCED : FORM_PERSISTENCY_RACE_PLAIN_UNFENCED;
	default: return r->torn ? FORM_PERSISTENCY_RACE_TORN_UNFLUSHED : FORM_PERSISTENCY_RACE_PLAIN_UNFLUSHED;
	}
}

/* Loads whose values are only compared in checksum functions do not count. */
static bool load_counts(const struct tally *t, uint32_t stack)
{
	return !checksums_only_compared(t->checksums, stack);
}

static bool racing_counts(const struct tally *t, const struct racing *r)
{
	for (size_t i = 0; i < r->loads.count; i++)
		if (load_counts(t, r->loads.at[i]))
			return true;
	return false;
}

static void racing_report(const struct tally *t, const struct racing *r, const struct platform *platform,
			  struct race_findings *findings)
{
	const struct code_stack **loads = mem_alloc((r->loads.count + 1) * sizeof(*loads));
	size_t count = 0;

	for (size_t i = 0; i < r->loads.count; i++)
		if (r->loads.at[i] && load_counts(t, r->loads.at[i]))
			loads[count++] = code_stacks_at(t->stacks, r->loads.at[i]);
	race_findings_add(findings, &(struct race_sighting){.form = form_of(r),
							    .detector = "races",
							    .platform = platform_name(platform),
							    .context = r->context,
							    .flush = r->flush,
							    .first = r->first,
							    .known = r->known,
							    .count = r->events.count,
							    .loads = loads,
							    .load_count = count});
	free(loads);
}

void tally_report(const struct tally *t, const struct platform *const *platforms, struct findings *findings,
		  const struct trace *trace, struct symbols *symbols, const struct findings_options *options)
{
	struct race_findings *races = race_findings_begin(findings, trace, symbols, options);

	for (size_t i = 0; i < t->all.count; i++)
		if (racing_counts(t, &t->all.at[i]))
			racing_report(t, &t->all.at[i], platforms[t->all.at[i].platform], races);
	race_findings_end(races);
}

void tally_free(struct tally *t)
{
	for (size_t i = 0; i < t->all.count; i++) {
		vec_free(&t->all.at[i].events);
		vec_free(&t->all.at[i].loads);
	}
	vec_free(&t->all);
	map_free(&t->index);
	map_free(&t->events);
}
