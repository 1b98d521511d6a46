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

/* Does the frame say which store of the user's line it is?  A function that stores for him in a library does not; one
 * that is compiled in with his own code, a template say, keeps data of its own, and may keep some that need not
 * last. */
static bool frame_tells(const struct finding_stack *stack, size_t index)
{
	const struct finding_frame *frame = &stack->frames[index], *location = &stack->frames[stack->location];

	if (index >= stack->location)
		return index == stack->location || frame->own;
	return frame->line && !strcmp(frame->module, location->module);
}

/* The line of the user's code, those of his code that led to it, and those that it led to. */
static uint64_t call_hash(struct stacks *stacks, uint32_t context)
{
	struct finding_stack stack = stacks_view(stacks, context);
	uint64_t hash = 0;

	for (size_t i = 0; i < stack.count; i++)
		if (frame_tells(&stack, i))
			hash = frame_hash(&stack.frames[i], hash);
	return hash;
}

/* That line alone. */
static uint64_t line_hash(struct stacks *stacks, uint32_t context)
{
	struct finding_stack stack = stacks_view(stacks, context);

	return stack.count ? frame_hash(&stack.frames[stack.location], 0) : 0;
}

static bool is_candidate(const struct sighting *sighting)
{
	return sighting->variant == VARIANT_TRANSIENT_DATA_NEVER ||
	       sighting->variant == VARIANT_TRANSIENT_DATA_UNMAPPED;
}

static void judge(struct sink *sink, size_t index, uint32_t flush)
{
	struct sighting judged = sink_at(sink, index)->first;

	judged.kind = KIND_MISSING_FLUSH;
	judged.variant = judged.variant == VARIANT_TRANSIENT_DATA_UNMAPPED ? VARIANT_MISSING_FLUSH_SITE_UNMAPPED
									   : VARIANT_MISSING_FLUSH_SITE;
	judged.related[0].role = ROLE_FLUSH;
	judged.related[0].context = flush;
	judged.related_count = 1;
	sink_rejudge(sink, index, &judged);
}

static void evidence_read(struct stacks *stacks, const struct sink *sink, struct map *flush_of)
{
	size_t count;
	const struct sink_evidence *evidence = sink_evidence(sink, &count);

	for (size_t i = 0; i < count; i++) {
		uint64_t *flush = map_put(flush_of, call_hash(stacks, evidence[i].context), 0);

		if (!*flush)
			*flush = evidence[i].flush;
	}
}

/* Rule 1. */
static void evidence_judge_lines(struct stacks *stacks, struct sink *sink)
{
	struct map flush_of = {0}; /* from the hash of a call to the context of a flush */

	for (size_t i = 0; i < sink_count(sink); i++) {
		const struct sighting *first = &sink_at(sink, i)->first;

		if (!is_candidate(first))
			continue;
		if (!flush_of.count) /* most runs need none */
			evidence_read(stacks, sink, &flush_of);
		const uint64_t *flush =
			flush_of.count ? map_get(&flush_of, call_hash(stacks, first->context), 0) : NULL;
		if (flush)
			judge(sink, i, (uint32_t)*flush);
	}
	map_free(&flush_of);
}

static bool is_uncertain(unsigned variant)
{
	switch (variant) {
	case VARIANT_MISSING_FLUSH_SITE:
	case VARIANT_MISSING_FLUSH_LINE:
	case VARIANT_MISSING_FLUSH_SITE_UNMAPPED:
	case VARIANT_MISSING_FLUSH_LINE_UNMAPPED:
	case VARIANT_MISSING_FLUSH_EARLY: return true;
	default: return false;
	}
}

/* Does the run call what frees objects, or aborts transactions? */
static bool run_frees(struct stacks *stacks)
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

/* Rule 3. */
static void evidence_judge_freed(struct stacks *stacks, struct sink *sink)
{
	bool asked = false;

	for (size_t i = 0; i < sink_count(sink); i++) {
		struct sighting judged = sink_at(sink, i)->first;

		if (!is_uncertain(judged.variant))
			continue;
		if (!asked && !run_frees(stacks))
			return;
		asked = true;
		judged.variant = VARIANT_MISSING_FLUSH_FREED;
		sink_rejudge(sink, i, &judged);
	}
}

void evidence_apply(struct evidence *evidence, struct stacks *stacks, struct sink *sink)
{
	evidence_judge_lines(stacks, sink);
	evidence_judge_freed(stacks, sink);
	*evidence = (struct evidence){.at_end = sink_is_at_end(sink)};
	for (size_t i = 0; i < sink_count(sink); i++)
		if (sink_at(sink, i)->first.kind == KIND_TRANSIENT_DATA)
			map_put(&evidence->transient, line_hash(stacks, sink_at(sink, i)->first.context), 0);
}

void evidence_free(struct evidence *evidence)
{
	map_free(&evidence->transient);
}

/* Rule 2. */
bool evidence_implies(const struct evidence *evidence, struct stacks *stacks, const struct sighting *sighting)
{
	if (sighting->kind != KIND_DIRTY_OVERWRITE)
		return false;
	if (evidence->at_end || !evidence->transient.count)
		return evidence->at_end;
	return map_get(&evidence->transient, line_hash(stacks, sighting->context), 0) &&
	       map_get(&evidence->transient, line_hash(stacks, sighting->related[0].context), 0);
}
