/* SPDX-License-Identifier: GPL-2.0-or-later */
/* evidence.c - see evidence.h. */
#include "finding/evidence.h"

#include <fnmatch.h>
#include <string.h>
#include <xxhash.h>

static uint64_t text_hash(const char *text, uint64_t seed)
{
	return text ? XXH3_64bits_withSeed(text, strlen(text), seed) : seed;
}

static uint64_t frame_hash(const struct finding_frame *frame, uint64_t seed)
{
	uint64_t at[2] = {seed, frame->line ? frame->line : frame->offset};

	return text_hash(frame->line ? frame->path : frame->module, XXH3_64bits(at, sizeof(at)));
}

/* True if the frame helps to tell the stores of one user line apart.  A library function that stores for the user
 * does not.  Code compiled into the user's module, such as a template, does: it keeps data of its own, and some of
 * that may not need to survive. */
static bool frame_tells(const struct finding_stack *stack, size_t index)
{
	const struct finding_frame *frame = &stack->frames[index], *location = &stack->frames[stack->location];

	return index == stack->location || (frame->line && !strcmp(frame->module, location->module));
}

/* Identifies the place of a store: the line of the user's code, and the lines compiled into it. */
static uint64_t store_hash(struct stacks *stacks, uint32_t context)
{
	struct finding_stack stack = stacks_view(stacks, context);
	uint64_t hash = stack.count ? text_hash(stack.frames[0].module, 1) : 0;

	for (size_t i = 0; i < stack.count && i <= stack.location; i++)
		if (frame_tells(&stack, i))
			hash = frame_hash(&stack.frames[i], hash);
	return hash;
}

/* Identifies the place of a flush or fence: the line of the user's code alone.  All flushes that a library makes for
 * that line are one place. */
static uint64_t step_hash(struct stacks *stacks, uint32_t context)
{
	struct finding_stack stack = stacks_view(stacks, context);

	return stack.count ? frame_hash(&stack.frames[stack.location], 0) : 0;
}

/* ---- places ---- */

/* The result is valid until the next new place. */
static struct place *place_make(struct evidence *e, struct map *map, uint64_t hash)
{
	uint64_t *index = map_put(map, hash, 0);

	if (!*index) {
		vec_push(&e->places, (struct place){0});
		*index = e->places.count;
	}
	return &e->places.at[*index - 1];
}

static void place_add(struct place *place, const struct sink_site *site)
{
	struct sink_site *sum = &place->site;

	sum->flush = sum->flush ? sum->flush : site->flush;
	sum->prompt = sum->prompt ? sum->prompt : site->prompt;
	sum->flushed |= site->flushed;
	sum->meant |= site->meant;
	sum->persisted += site->persisted;
	sum->overwritten += site->overwritten;
	sum->left += site->left;
	sum->needed += site->needed;
}

static enum leftover_fate proof_of(const struct evidence *e, uint32_t context)
{
	const uint64_t *fate = e->proof_of.count ? map_get(&e->proof_of, context, 0) : NULL;

	return fate ? (enum leftover_fate) * fate : LEFTOVER_UNKNOWN;
}

static void stores_learn(struct evidence *e)
{
	size_t count;
	const struct sink_site *sites = sink_sites(e->sink, &count);

	for (size_t i = 0; i < count; i++)
		if (sites[i].persisted || sites[i].overwritten || sites[i].left) {
			struct place *place = place_make(e, &e->stores, store_hash(e->stacks, sites[i].context));

			place_add(place, &sites[i]);
			if (sites[i].left)
				place->proofs |= 1u << proof_of(e, sites[i].context);
		}
}

static bool is_bare_overwrite(unsigned form)
{
	return form == FORM_DIRTY_OVERWRITE_DIRTY || form == FORM_DIRTY_OVERWRITE_LOCK;
}

/* True if none of the place's stores was persisted or left.  Then its fate is the fate of the stores that overwrote
 * it. */
static bool place_is_overwritten(const struct place *place)
{
	return !place->site.persisted && !place->site.left;
}

/* True if a libpmemobj transaction makes this flush while it commits. */
static bool flush_commits(const struct stacks *stacks, uint32_t id)
{
	const struct trace_context *context;
	const struct symbols_frame *frames;

	for (bool caller = false; (context = trace_context(stacks->trace, id)); id = context->parent, caller = true) {
		const struct trace_module *module = trace_module(stacks->trace, context->module);
		size_t count;

		if (!module || !strstr(module->path, "libpmemobj"))
			continue;
		count = symbols_lookup(stacks->symbols, module, context->offset, caller, &frames);
		if (frames[count - 1].function && !strcmp(frames[count - 1].function, "pmemobj_tx_commit"))
			return true;
	}
	return false;
}

static unsigned place_own_fate(const struct stacks *stacks, const struct place *place)
{
	unsigned fate = 0;

	if (place->site.left > place->site.persisted)
		fate |= FATE_LOST;
	if (place->site.flush)
		fate |= place->site.flushed ? FATE_FLUSHED : FATE_SYNCED;
	if (flush_commits(stacks, place->site.flush))
		fate |= FATE_COMMITTED;
	return fate;
}

struct overwrite {
	size_t earlier, later; /* indices of places */
};

/* Passes fates from the overwriting stores to the overwritten ones until nothing changes. */
static void fates_spread(struct evidence *e, const struct overwrite *overwrites, size_t count)
{
	bool changed = true;

	while (changed) {
		changed = false;
		for (size_t i = 0; i < count; i++) {
			struct place *earlier = &e->places.at[overwrites[i].earlier];
			unsigned fate = earlier->fate | e->places.at[overwrites[i].later].fate;

			if (!place_is_overwritten(earlier) || fate == earlier->fate)
				continue;
			earlier->fate = fate;
			changed = true;
		}
	}
}

static size_t store_index(struct evidence *e, uint32_t context)
{
	return (size_t)(place_make(e, &e->stores, store_hash(e->stacks, context)) - e->places.at);
}

static void fates_learn(struct evidence *e)
{
	VEC_OF(struct overwrite) overwrites = {0};

	for (size_t i = 0; i < e->places.count; i++)
		e->places.at[i].fate = place_own_fate(e->stacks, &e->places.at[i]);
	for (size_t i = 0; i < sink_count(e->sink); i++) {
		const struct sighting *first = &sink_at(e->sink, i)->first;

		if (is_bare_overwrite(first->form))
			vec_push(&overwrites, ((struct overwrite){store_index(e, first->related[0].context),
								  store_index(e, first->context)}));
	}
	fates_spread(e, overwrites.at, overwrites.count);
	vec_free(&overwrites);
}

static bool kind_is_step(enum finding_kind kind)
{
	return kind == KIND_REDUNDANT_FLUSH || kind == KIND_SHARED_LINE_FLUSH || kind == KIND_FLUSH_VOLATILE ||
	       kind == KIND_REDUNDANT_FENCE || kind == KIND_REDUNDANT_LOG;
}

/* A line that calls pmem_persist both flushes and fences, so its flush and its fence need different hashes. */
static uint64_t step_place_hash(struct evidence *e, uint32_t context, bool fence)
{
	return step_hash(e->stacks, context) + fence;
}

static void steps_learn(struct evidence *e)
{
	size_t count;
	const struct sink_site *sites = sink_sites(e->sink, &count);

	for (size_t i = 0; i < count; i++)
		if (sites[i].needed)
			place_add(place_make(e, &e->steps, step_place_hash(e, sites[i].context, sites[i].fence)),
				  &sites[i]);
	for (size_t i = 0; i < sink_count(e->sink); i++) {
		const struct sink_entry *entry = sink_at(e->sink, i);
		bool fence = entry->first.kind == KIND_REDUNDANT_FENCE;

		if (kind_is_step(entry->first.kind))
			place_make(e, &e->steps, step_place_hash(e, entry->first.context, fence))->needless +=
				entry->count;
	}
}

/* Stores and steps are learned only when needed: most runs need at most one of them, and source line lookups are
 * slow. */
static struct place store_place(struct evidence *e, uint32_t context)
{
	if (!e->stores_known) {
		stores_learn(e);
		fates_learn(e);
	}
	e->stores_known = true;
	return *place_make(e, &e->stores, store_hash(e->stacks, context));
}

static struct place step_place(struct evidence *e, const struct sighting *s)
{
	if (!e->steps_known)
		steps_learn(e);
	e->steps_known = true;
	return *place_make(e, &e->steps, step_place_hash(e, s->context, s->kind == KIND_REDUNDANT_FENCE));
}

static uint64_t place_runs(const struct place *place)
{
	return place->site.persisted + place->site.overwritten + place->site.left;
}

static bool place_seldom_persists(const struct place *place)
{
	uint64_t runs = place_runs(place), persisted = place->site.persisted;

	return runs >= EVIDENCE_OFTEN && (!persisted || persisted < runs - persisted);
}

/* ---- rules ---- */

static void judge(struct evidence *e, size_t index, enum finding_form form)
{
	struct sighting judged = sink_at(e->sink, index)->first;

	judged.kind = form_get(form)->kind;
	judged.form = form;
	sink_rejudge(e->sink, index, &judged);
}

/* Rule 1. */
static void judge_transient(struct evidence *e, size_t index)
{
	struct sighting judged = sink_at(e->sink, index)->first;
	struct place place = store_place(e, judged.context);

	if (!place.site.flush || (judged.form == FORM_TRANSIENT_DATA_LOCK && !place.site.prompt))
		return;
	judged.kind = KIND_MISSING_FLUSH;
	judged.form = judged.form == FORM_TRANSIENT_DATA_UNMAPPED ? FORM_MISSING_FLUSH_SITE_UNMAPPED
								  : FORM_MISSING_FLUSH_SITE;
	judged.related[0].role = ROLE_FLUSH;
	judged.related[0].context = place.site.flush;
	judged.related_count = 1;
	sink_rejudge(e->sink, index, &judged);
}

static bool is_uncertain(unsigned form)
{
	switch (form) {
	case FORM_MISSING_FLUSH_SITE:
	case FORM_MISSING_FLUSH_LINE:
	case FORM_MISSING_FLUSH_SITE_UNMAPPED:
	case FORM_MISSING_FLUSH_LINE_UNMAPPED:
	case FORM_MISSING_FLUSH_EARLY: return true;
	default: return false;
	}
}

/* True if the run calls a function that frees objects or aborts transactions. */
static bool trace_frees(struct stacks *stacks)
{
	static const char *const names[] = {"pmemobj_*free*",  "pmemobj_*realloc*",    "pmemobj_*abort*",
					    "pmemobj_cancel*", "pmemobj_list_remove*", NULL};
	const struct symbols_frame *frames;

	for (uint32_t id = 1; id <= trace_context_count(stacks->trace); id++) {
		const struct trace_context *context = trace_context(stacks->trace, id);
		const struct trace_module *module = trace_module(stacks->trace, context->module);

		if (!module || !strstr(module->path, "libpmemobj"))
			continue;
		symbols_lookup(stacks->symbols, module, context->offset, true, &frames);
		for (const char *const *name = names; *name; name++)
			if (frames[0].function && !fnmatch(*name, frames[0].function, 0))
				return true;
	}
	return false;
}

static bool run_frees(struct evidence *e)
{
	if (!e->frees_known)
		e->frees = trace_frees(e->stacks);
	e->frees_known = true;
	return e->frees;
}

static bool place_has_proof(const struct place *place, enum leftover_fate fate)
{
	return place->proofs >> fate & 1;
}

/* True if recovery overwrites all leftovers of the place that it touches. */
static bool place_is_recovered(const struct place *place)
{
	return place_has_proof(place, LEFTOVER_OVERWRITTEN) && !place_has_proof(place, LEFTOVER_ACCEPTED) &&
	       !place_has_proof(place, LEFTOVER_FATAL) && !place_has_proof(place, LEFTOVER_UNKNOWN);
}

static bool place_is_accepted(const struct place *place)
{
	return place_has_proof(place, LEFTOVER_ACCEPTED) && !place_has_proof(place, LEFTOVER_FATAL) &&
	       !place_has_proof(place, LEFTOVER_UNKNOWN);
}

/* Rules 2, 5 and 6. */
static void judge_missing_flush(struct evidence *e, size_t index)
{
	const struct sighting *first = &sink_at(e->sink, index)->first;
	struct place place = store_place(e, first->context);

	if (place_is_recovered(&place))
		judge(e, index, FORM_TRANSIENT_DATA_RECOVERED);
	else if (place_is_accepted(&place))
		judge(e, index, FORM_MISSING_FLUSH_ACCEPTED);
	else if (!is_uncertain(first->form) || place_has_proof(&place, LEFTOVER_FATAL))
		return;
	else if (place_seldom_persists(&place))
		judge(e, index, FORM_MISSING_FLUSH_SELDOM);
	else if (run_frees(e))
		judge(e, index, FORM_MISSING_FLUSH_FREED);
}

/* Rule 3: moves the report to the place of the overwritten store. */
static void judge_overwritten(struct evidence *e, size_t index)
{
	struct sighting judged = sink_at(e->sink, index)->first;
	uint32_t later = judged.context;

	judged.kind = KIND_TRANSIENT_DATA;
	judged.form = FORM_TRANSIENT_DATA_OVERWRITTEN;
	judged.context = judged.related[0].context;
	judged.related[0].context = later;
	judged.related_count = 1;
	sink_rejudge(e->sink, index, &judged);
}

/* Rules 3 and 4. */
static void judge_dirty_overwrite(struct evidence *e, size_t index)
{
	const struct sighting *first = &sink_at(e->sink, index)->first;
	struct place earlier, later;
	unsigned fate;

	e->dropped.at[index] = sink_is_at_end(e->sink);
	if (sink_is_at_end(e->sink) || !is_bare_overwrite(first->form))
		return;
	earlier = store_place(e, first->related[0].context);
	later = store_place(e, first->context);
	fate = earlier.fate | later.fate;
	if (place_is_overwritten(&earlier) && earlier.fate & FATE_LOST)
		judge_overwritten(e, index);
	else
		e->dropped.at[index] =
			first->form == FORM_DIRTY_OVERWRITE_LOCK || (fate & FATE_SYNCED && !(fate & FATE_FLUSHED)) ||
			fate & FATE_COMMITTED ||
			(earlier.site.left &&
			 (!earlier.site.persisted || place_seldom_persists(&earlier) || place_is_recovered(&earlier)));
}

/* Rule 7. */
static void judge_step(struct evidence *e, size_t index)
{
	static const enum finding_form sometimes[][2] = {
		{FORM_REDUNDANT_FLUSH_AGAIN, FORM_REDUNDANT_FLUSH_AGAIN_SOMETIMES},
		{FORM_REDUNDANT_FLUSH_CLEAN, FORM_REDUNDANT_FLUSH_CLEAN_SOMETIMES},
		{FORM_REDUNDANT_FLUSH_NEEDLESS, FORM_REDUNDANT_FLUSH_NEEDLESS_SOMETIMES},
		{FORM_FLUSH_VOLATILE_OUTSIDE, FORM_FLUSH_VOLATILE_SOMETIMES},
		{FORM_REDUNDANT_FENCE_NOTHING, FORM_REDUNDANT_FENCE_NOTHING_SOMETIMES},
		{FORM_REDUNDANT_FENCE_AGAIN, FORM_REDUNDANT_FENCE_AGAIN_SOMETIMES},
		{FORM_REDUNDANT_LOG_AGAIN, FORM_REDUNDANT_LOG_AGAIN_SOMETIMES},
		{FORM_REDUNDANT_LOG_ALLOCATED, FORM_REDUNDANT_LOG_ALLOCATED_SOMETIMES},
		{FORM_REDUNDANT_LOG_AGAIN_OUTER, FORM_REDUNDANT_LOG_AGAIN_SOMETIMES},
		{FORM_REDUNDANT_LOG_ALLOCATED_OUTER, FORM_REDUNDANT_LOG_ALLOCATED_SOMETIMES},
	};
	const struct sighting *first = &sink_at(e->sink, index)->first;

	for (size_t i = 0; i < sizeof(sometimes) / sizeof(*sometimes); i++)
		if (first->form == sometimes[i][0] && step_place(e, first).site.needed) {
			judge(e, index, sometimes[i][1]);
			return;
		}
}

void evidence_apply(struct evidence *evidence, struct stacks *stacks, struct sink *sink)
{
	*evidence = (struct evidence){.stacks = stacks, .sink = sink};
	for (size_t i = 0; stacks->options && i < stacks->options->proof_count; i++)
		*map_put(&evidence->proof_of, stacks->options->proofs[i].context, 0) = stacks->options->proofs[i].fate;
	for (size_t i = 0; i < sink_count(sink); i++) {
		vec_push(&evidence->dropped, false);
		if (sink_at(sink, i)->first.kind == KIND_TRANSIENT_DATA)
			judge_transient(evidence, i);
		switch (sink_at(sink, i)->first.kind) {
		case KIND_MISSING_FLUSH: judge_missing_flush(evidence, i); break;
		case KIND_DIRTY_OVERWRITE: judge_dirty_overwrite(evidence, i); break;
		default: judge_step(evidence, i); break;
		}
	}
}

void evidence_free(struct evidence *evidence)
{
	map_free(&evidence->proof_of);
	map_free(&evidence->stores);
	map_free(&evidence->steps);
	vec_free(&evidence->places);
	vec_free(&evidence->dropped);
}

bool evidence_drops(const struct evidence *evidence, size_t index)
{
	return evidence->dropped.at[index];
}

struct finding_runs evidence_runs(struct evidence *e, const struct sighting *sighting)
{
	struct place place;

	if (kind_is_step(sighting->kind)) {
		place = step_place(e, sighting);
		return (struct finding_runs){.total = place.site.needed + place.needless};
	}
	if (sighting->kind != KIND_MISSING_FLUSH && sighting->kind != KIND_TRANSIENT_DATA)
		return (struct finding_runs){0};
	place = store_place(e, sighting->context);
	return (struct finding_runs){.times = place.site.persisted,
				     .total = place_runs(&place),
				     .neighbor = place.site.persisted && !place.site.meant};
}
