/* SPDX-License-Identifier: GPL-2.0-or-later */
/* collect.c - turns the entries of sinks into findings: names the places, groups, chooses the sentence; see finding.h.
 *
 * Entries of several sinks become one finding if kind and location are the same.  Each sink belongs to one platform,
 * so counts are added within a platform.  The count and the sentence of a finding are those of one platform: the
 * first of those on which it is most severe. */
#include <inttypes.h>
#include <string.h>
#include <xxhash.h>

#include "base/map.h"
#include "finding/evidence.h"
#include "finding/finding.h"
#include "finding/fingerprint.h"
#include "finding/merge.h"
#include "finding/message.h"
#include "finding/own.h"
#include "finding/stacks.h"
#include "finding/unreported.h"

struct member {
	const struct sink_entry *entry;
	const struct sink *sink;
	struct finding_runs runs;
};

struct group {
	VEC_OF(struct member) members;
	bool unlogged; /* it is about leftovers of stores that unlogged-store is about: one mistake */
};

struct collector {
	struct findings *findings;
	const struct trace *trace;
	struct stacks stacks;
	VEC_OF(struct group) groups;
	struct map group_of; /* from the hash of kind and location to 1 + index of groups */
	struct map unlogged; /* (context, hash of the platform): a transaction should have covered its stores */
};

/* ---- grouping ---- */

static XXH128_hash_t location_hash(enum finding_kind kind, bool unlogged, const struct finding_frame *frame)
{
	struct {
		XXH128_hash_t module, path;
		uint64_t kind, unlogged, line, offset;
	} key = {.kind = kind, .unlogged = unlogged};

	if (frame) {
		key.module = XXH3_128bits(frame->module, strlen(frame->module));
		key.line = frame->path ? frame->line : 0;
		if (key.line)
			key.path = XXH3_128bits(frame->path, strlen(frame->path));
		else
			key.offset = frame->offset;
	}
	return XXH3_128bits(&key, sizeof(key));
}

static uint64_t platform_hash(const struct sink *sink)
{
	return XXH3_64bits(sink_platform(sink), strlen(sink_platform(sink)));
}

/* A store that the program persists itself is no leftover for want of a commit. */
static void unlogged_learn(struct collector *c, const struct sink *sink)
{
	for (size_t i = 0; i < sink_count(sink); i++) {
		const struct sighting *first = &sink_at(sink, i)->first;

		if (first->kind == KIND_UNLOGGED_STORE && first->form != FORM_UNLOGGED_STORE_PERSISTED &&
		    !unreported(&c->stacks, first))
			*map_put(&c->unlogged, first->context, platform_hash(sink)) = 1;
	}
}

/* Was it left in the cache because no transaction persists it? */
static bool is_unlogged_leftover(const struct collector *c, const struct sink *sink, const struct sighting *s)
{
	return c->unlogged.count && (s->kind == KIND_MISSING_FLUSH || s->kind == KIND_TRANSIENT_DATA) &&
	       map_get(&c->unlogged, s->context, platform_hash(sink));
}

static void collect_sink(struct collector *c, const struct sink *sink, struct evidence *evidence)
{
	for (size_t i = 0; i < sink_count(sink); i++) {
		const struct sink_entry *entry = sink_at(sink, i);

		if (evidence_drops(evidence, i) || unreported(&c->stacks, &entry->first))
			continue;
		struct finding_runs runs = evidence_runs(evidence, &entry->first);
		struct finding_stack stack = stacks_view(&c->stacks, entry->first.context);
		bool unlogged = is_unlogged_leftover(c, sink, &entry->first);
		XXH128_hash_t key = location_hash(entry->first.kind, unlogged, stack_location(&stack));
		uint64_t *found = map_put(&c->group_of, key.low64, key.high64);
		if (!*found) {
			vec_push(&c->groups, (struct group){.unlogged = unlogged});
			*found = c->groups.count;
		}
		vec_push(&c->groups.at[*found - 1].members, ((struct member){entry, sink, runs}));
	}
}

/* ---- one finding ---- */

/* True if `a`, which comes later than `b`, should describe the group instead of `b`.  More severe wins; then the
 * platform that was named first; then more frequent; then earlier. */
static bool member_leads(const struct member *a, const struct member *b)
{
	enum severity sa = form_get((enum finding_form)a->entry->first.form)->severity;
	enum severity sb = form_get((enum finding_form)b->entry->first.form)->severity;

	if (sa != sb)
		return sa < sb;
	if (strcmp(sink_platform(a->sink), sink_platform(b->sink)))
		return false;
	if (a->entry->count != b->entry->count)
		return a->entry->count > b->entry->count;
	return a->entry->first.event < b->entry->first.event;
}

static const struct member *group_lead(const struct group *group)
{
	const struct member *lead = &group->members.at[0];

	for (size_t i = 1; i < group->members.count; i++)
		if (member_leads(&group->members.at[i], lead))
			lead = &group->members.at[i];
	return lead;
}

static uint64_t group_count(const struct group *group, const char *platform)
{
	uint64_t count = 0;

	for (size_t i = 0; i < group->members.count; i++)
		if (!strcmp(sink_platform(group->members.at[i].sink), platform))
			count += group->members.at[i].entry->count;
	return count;
}

/* Adds the platforms on which the form was seen.  Its sentence may name only these. */
static void finding_form_platforms(struct collector *c, struct finding *finding, const struct group *group,
				   unsigned form)
{
	for (size_t i = 0; i < group->members.count; i++)
		if (group->members.at[i].entry->first.form == form)
			finding_add_platform(c->findings, finding, sink_platform(group->members.at[i].sink));
}

static void finding_count(struct collector *c, struct finding *finding, const struct group *group,
			  const struct member *lead)
{
	finding->platform_count = 0;
	for (size_t i = 0; i < group->members.count; i++) {
		const struct member *member = &group->members.at[i];

		finding_add_platform(c->findings, finding, sink_platform(member->sink));
		if (member->entry->largest.size > finding->largest.size)
			finding->largest = member->entry->largest;
	}
	finding->count = group_count(group, sink_platform(lead->sink));
}

/* Plug-ins may share a kind. */
static void finding_detectors(struct collector *c, struct finding *finding, const struct group *group)
{
	for (size_t i = 0; i < group->members.count; i++)
		if (strcmp(sink_detector(group->members.at[i].sink), finding->detector) != 0) {
			finding_add_detector(c->findings, finding, finding->detector);
			finding_add_detector(c->findings, finding, sink_detector(group->members.at[i].sink));
		}
}

static bool same_function(const struct finding_frame *a, const struct finding_frame *b)
{
	return a->function && b->function && !strcmp(a->function, b->function) && !strcmp(a->module, b->module);
}

/* If both stacks are in the same call of one function, moves the location of `stack` to that function, so that the
 * sentence names two lines of it.  This matters if one line of a helper is to blame (helpers.h, rule 5): the
 * location of the other line would be further out. */
static void stack_align(struct finding_stack *stack, const struct finding_stack *with)
{
	size_t outside = with->count - with->location;

	if (outside > stack->count || stack->count - outside >= stack->location ||
	    !same_function(&stack->frames[stack->count - outside], &with->frames[with->location]))
		return;
	for (size_t i = 1; i < outside; i++)
		if (!frame_same_place(&stack->frames[stack->count - i], &with->frames[with->count - i]))
			return;
	stack->location = stack->count - outside;
}

static void finding_relate(struct collector *c, struct finding *finding, const struct sighting *from)
{
	finding->related_count = from->related_count;
	finding->related = findings_block(c->findings, from->related_count, sizeof(*finding->related));
	for (unsigned i = 0; i < from->related_count; i++) {
		finding->related[i].role = from->related[i].role;
		finding->related[i].stack = stacks_make(&c->stacks, from->related[i].context);
		stack_align(&finding->related[i].stack, &finding->stack);
	}
}

/* Can the user do something about it?  The user asks for each add to a transaction. */
static bool finding_is_requested(const struct finding *finding)
{
	return finding->kind == KIND_REDUNDANT_LOG || own_request(&finding->stack);
}

static void finding_say(struct collector *c, struct finding *finding, const struct form *form)
{
	char text[8192];

	message_fill(finding, form->message, text, sizeof(text));
	finding->message = findings_text(c->findings, text);
	if (!*form->fix || !finding_is_requested(finding) || !message_distinct(finding, form->fix))
		return;
	message_fill(finding, form->fix, text, sizeof(text));
	finding->fix = findings_text(c->findings, text);
}

/* Is the place of such a finding a flush or a fence, not a store? */
static bool kind_is_flush(enum finding_kind kind)
{
	switch (kind) {
	case KIND_REDUNDANT_FLUSH:
	case KIND_SHARED_LINE_FLUSH:
	case KIND_FLUSH_VOLATILE:
	case KIND_REDUNDANT_FENCE:
	case KIND_UNORDERED_FLUSHES: return true;
	default: return false;
	}
}

static void finding_make(struct collector *c, struct finding *finding, const struct group *group)
{
	const struct member *lead = group_lead(group);
	const struct sighting *first = &lead->entry->first;
	const struct form *form = form_get((enum finding_form)first->form);
	const struct trace_file *file = trace_file(c->trace, first->file);

	finding->kind = first->kind;
	finding->severity = form->severity;
	finding->detector = findings_text(c->findings, sink_detector(lead->sink));
	finding_detectors(c, finding, group);
	finding->stack = stacks_make(&c->stacks, first->context);
	finding->pool = file ? findings_text(c->findings, file->path) : NULL;
	finding->pool_name = findings_pool_name(c->findings, finding->pool);
	finding->first = (struct sighting_example){first->file, first->size, first->offset, first->event};
	if (!kind_is_flush(finding->kind))
		finding->variable = stacks_variable(&c->stacks, first->context);
	finding->runs = lead->runs;
	if (finding->kind != KIND_MISSING_FLUSH && finding->kind != KIND_TRANSIENT_DATA)
		finding->runs.times = group_count(group, sink_platform(lead->sink));
	finding_relate(c, finding, first);
	finding_form_platforms(c, finding, group, first->form);
	finding_say(c, finding, form);
	finding_count(c, finding, group, lead);
}

/* A store that its transaction does not cover, and that was never written back, is one mistake: an add mends both. */
static void unlogged_unite(struct collector *c)
{
	for (size_t i = 0; i < c->groups.count; i++) {
		struct finding *leftover = &c->findings->at[i];
		XXH128_hash_t key = location_hash(KIND_UNLOGGED_STORE, false, stack_location(&leftover->stack));
		const uint64_t *found = c->groups.at[i].unlogged ? map_get(&c->group_of, key.low64, key.high64) : NULL;

		if (found)
			finding_absorb(c->findings, &c->findings->at[*found - 1], leftover);
	}
	findings_drop_absorbed(c->findings);
}

/* ---- all ---- */

static void target_platforms(struct findings *findings, struct sink *const *sinks, size_t sink_count)
{
	for (size_t i = 0; i < sink_count; i++) {
		bool known = false;

		for (size_t j = 0; j < findings->target.platforms.count; j++)
			known |= !strcmp(findings->target.platforms.at[j], sink_platform(sinks[i]));
		if (!known)
			vec_push(&findings->target.platforms, findings_text(findings, sink_platform(sinks[i])));
	}
}

static void target_files(struct findings *findings, const struct trace *trace)
{
	for (uint32_t id = 1; id <= trace_file_count(trace); id++)
		vec_push(&findings->target.pm, findings_text(findings, trace_file(trace, id)->path));
}

static void collector_free(struct collector *c)
{
	for (size_t i = 0; i < c->groups.count; i++)
		vec_free(&c->groups.at[i].members);
	vec_free(&c->groups);
	map_free(&c->group_of);
	map_free(&c->unlogged);
	stacks_free(&c->stacks);
}

/* Stores of the value that is there already, which is no error even where a transaction does not cover them.  They are
 * the same on all platforms. */
static void note_silent(struct collector *c, struct sink *const *sinks, size_t sink_count)
{
	uint64_t stores = 0;

	for (size_t i = 0; i < sink_count; i++) {
		bool counts = !strcmp(sink_platform(sinks[i]), sink_platform(sinks[0]));
		size_t count;
		const struct sink_site *sites = sink_sites(sinks[i], &count);

		for (size_t j = 0; counts && j < count; j++) {
			struct sighting s = {.kind = KIND_UNLOGGED_STORE,
					     .form = FORM_UNLOGGED_STORE_MISSING,
					     .context = sites[j].context};

			if (sites[j].silent && !unreported(&c->stacks, &s))
				stores += sites[j].silent;
		}
	}
	if (stores)
		findings_note(c->findings,
			      "%" PRIu64 " %s wrote the value that was there already; that is not reported", stores,
			      stores == 1 ? "store in a transaction that does not cover it"
					  : "stores in transactions that do not cover them");
}

struct findings *findings_collect(struct sink *const *sinks, size_t sink_count, const struct trace *trace,
				  struct symbols *symbols, const struct findings_options *options)
{
	struct findings *findings = findings_new();
	struct collector c = {.findings = findings,
			      .trace = trace,
			      .stacks = {.findings = findings, .trace = trace, .symbols = symbols, .options = options}};
	struct sources *sources = sources_new();

	target_files(findings, trace);
	target_platforms(findings, sinks, sink_count);
	for (size_t i = 0; i < sink_count; i++)
		unlogged_learn(&c, sinks[i]);
	for (size_t i = 0; i < sink_count; i++) {
		struct evidence evidence;

		evidence_apply(&evidence, &c.stacks, sinks[i]);
		collect_sink(&c, sinks[i], &evidence);
		evidence_free(&evidence);
	}
	note_silent(&c, sinks, sink_count);
	findings->count = c.groups.count;
	findings->at = mem_alloc((findings->count + 1) * sizeof(*findings->at));
	for (size_t i = 0; i < c.groups.count; i++)
		finding_make(&c, &findings->at[i], &c.groups.at[i]);
	unlogged_unite(&c);
	fingerprint_all(findings, sources);
	sources_free(sources);
	collector_free(&c);
	findings_number(findings);
	return findings;
}
