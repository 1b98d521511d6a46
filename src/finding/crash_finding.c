/* SPDX-License-Identifier: GPL-2.0-or-later */
/* crash_finding.c - makes findings from crash states; see crash_finding.h. */
#include "finding/crash_finding.h"

#include <inttypes.h>
#include <string.h>
#include <xxhash.h>

#include "base/map.h"
#include "base/text.h"
#include "finding/crash_parts.h"
#include "finding/fingerprint.h"
#include "finding/own.h"
#include "finding/stacks.h"
#include "finding/touched.h"

#define VALUE_BYTES_MAX 64
enum { IS_LIBRARY = 1, IS_NOT };
#define STORES_LOOKED_AT 1024 /* limit of the search for idle stores */

struct crash_findings {
	struct findings *findings;
	struct stacks stacks;
	const struct findings_options *options;
	const struct trace *trace;
	struct map libraries;    /* context -> IS_LIBRARY or IS_NOT: did a library store for itself there? */
	struct map known;        /* from the key of a finding to 1 + its index */
	struct touched *touched; /* read when first needed; NULL if it cannot be read */
	bool touched_read;
	struct map callers; /* (index of a finding in a library, place in the user's code that called it) */
	size_t first;       /* index of the first crash finding */
};

struct crash_findings *crash_begin(struct findings *findings, const struct trace *trace, struct symbols *symbols,
				   const struct findings_options *options)
{
	struct crash_findings *c = mem_alloc(sizeof(*c));

	c->findings = findings;
	c->trace = trace;
	c->options = options;
	c->stacks = (struct stacks){.findings = findings, .trace = trace, .symbols = symbols, .options = options};
	c->first = findings->count;
	return c;
}

/* ---- identity ---- */

static void key_text(XXH3_state_t *key, const char *text)
{
	XXH3_128bits_update(key, text ? text : "", text ? strlen(text) + 1 : 1);
}

static void key_frame(XXH3_state_t *key, const struct finding_frame *frame)
{
	uint64_t at[2] = {0};

	if (!frame)
		return;
	at[0] = frame->path ? frame->line : 0;
	at[1] = at[0] ? 0 : frame->offset;
	key_text(key, frame->module);
	key_text(key, frame->path);
	XXH3_128bits_update(key, at, sizeof(at));
}

static XXH128_hash_t finding_key(const struct finding *finding)
{
	const struct finding_crash *crash = finding->crash;
	const uint64_t numbers[] = {crash->failure,
				    crash->recovery.ending.kind,
				    (uint64_t)crash->recovery.ending.value,
				    crash->nested,
				    crash->cause == CAUSE_CREATION,
				    crash->recovery.mismatch.recorded,
				    crash->cause == CAUSE_ORDERLY};
	XXH3_state_t *key = XXH3_createState();

	BUG_ON(!key);
	XXH3_128bits_reset(key);
	XXH3_128bits_update(key, numbers, sizeof(numbers));
	if (crash->cause != CAUSE_ORDERLY) /* no place in the program is to blame */
		key_frame(key, stack_location(&finding->stack));
	/* The place where a hanging recovery was stopped also depends on timing. */
	if (crash->recovery.ending.kind != ENDING_TIMEOUT)
		key_frame(key, stack_location(&crash->recovery.stack));
	for (size_t i = 0; i < crash->lost_count; i++)
		key_frame(key, stack_location(&crash->lost[i].stack));
	XXH128_hash_t sum = XXH3_128bits_digest(key);
	XXH3_freeState(key);
	return sum;
}

/* ---- parts ---- */

static const char *value_text(struct findings *findings, const uint8_t *value, uint32_t size)
{
	char text[2 * VALUE_BYTES_MAX + 4];
	uint64_t number = 0;
	size_t used = 0;

	if (!value)
		return NULL;
	if (size <= 8) {
		for (uint32_t i = 0; i < size; i++)
			number |= (uint64_t)value[i] << 8 * i;
		snprintf(text, sizeof(text), "0x%" PRIx64, number);
		return findings_text(findings, text);
	}
	for (uint32_t i = 0; i < size && i < VALUE_BYTES_MAX; i++)
		used += (size_t)sprintf(text + used, "%02x", value[i]);
	if (size > VALUE_BYTES_MAX)
		strcpy(text + used, "..");
	return findings_text(findings, text);
}

/* ---- blame ---- */

/* True if a library made this store, on data that only the library touches. */
static bool store_is_library(struct crash_findings *c, const struct crash_store *store,
			     const struct finding_stack *stack)
{
	const char *recording = c->options ? c->options->recording : NULL;
	struct err ignored;

	if (own_library(stack) == stack->count || !recording)
		return false;
	if (!c->touched_read)
		c->touched = touched_read(recording, &c->stacks, &ignored);
	c->touched_read = true;
	return c->touched && !touched_has(c->touched, store->file, store->offset, store->size);
}

/* True if the blamed store is a library's own.  Then the mistake is in the library, no matter what called it. */
static bool sighting_blames_library(struct crash_findings *c, const struct crash_sighting *s)
{
	const struct crash_store *blamed = NULL;

	for (uint64_t i = 0; i < s->lost_count && !blamed; i++)
		blamed = s->lost[i].context == s->blamed ? &s->lost[i] : NULL;
	for (uint64_t i = 0; i < s->persisted_count && !blamed; i++)
		blamed = s->persisted[i].context == s->blamed ? &s->persisted[i] : NULL;
	if (!s->blamed || !blamed || s->cause == CAUSE_CREATION)
		return false;
	struct finding_stack stack = stacks_view(&c->stacks, s->blamed);
	return store_is_library(c, blamed, &stack);
}

/* Moves the location into the library, if a library acted for itself here. */
static void stack_blame_library(struct finding_stack *stack)
{
	size_t library = own_library(stack);

	if (library < stack->count)
		stack->location = library;
}

/* ---- more parts ---- */

static struct finding_store *stores_make(struct crash_findings *c, const struct crash_store *from, uint64_t total,
					 bool in_library, size_t *count)
{
	*count = total < CRASH_STORES_MAX ? (size_t)total : CRASH_STORES_MAX;
	struct finding_store *stores = findings_block(c->findings, *count, sizeof(*stores));

	for (size_t i = 0; i < *count; i++) {
		const struct trace_file *file = trace_file(c->trace, from[i].file);

		stores[i] = (struct finding_store){
			.stack = stacks_make(&c->stacks, from[i].context),
			.pool = file ? findings_text(c->findings, file->path) : NULL,
			.offset = from[i].offset,
			.size = from[i].size,
			.value = value_text(c->findings, from[i].value, from[i].size),
			.event = from[i].event,
			.flush_event = from[i].flush_event,
			.certain = from[i].certain,
			.variable = stacks_variable(&c->stacks, from[i].context),
		};
		stores[i].pool_name = findings_pool_name(c->findings, stores[i].pool);
		if (from[i].flush)
			stores[i].flush = stacks_make(&c->stacks, from[i].flush);
		if (in_library && store_is_library(c, &from[i], &stores[i].stack)) {
			stack_blame_library(&stores[i].stack);
			stack_blame_library(&stores[i].flush);
		}
	}
	return stores;
}

/* The end of what recovery printed, starting at the beginning of a line if possible. */
static const char *tail_text(struct findings *findings, const char *text)
{
	size_t length = text ? strlen(text) : 0;

	if (length > CRASH_TAIL_MAX) {
		text += length - CRASH_TAIL_MAX;
		const char *line = strchr(text, '\n');
		text = line && line[1] ? line + 1 : text;
	}
	return findings_text(findings, text ? text : "");
}

/* The base name; NULL for NULL or an empty name. */
static const char *module_name(const char *module)
{
	const char *slash = module ? strrchr(module, '/') : NULL;

	return slash ? slash + 1 : module && *module ? module : NULL;
}

static struct finding_stack recovery_stack(struct crash_findings *c, const struct finding_frame *from, size_t count)
{
	struct finding_stack stack = {.frames = findings_block(c->findings, count, sizeof(*from)), .count = count};

	for (size_t i = 0; i < count; i++) {
		stack.frames[i] = (struct finding_frame){
			.file = findings_text(c->findings, from[i].file),
			.path = findings_text(c->findings, from[i].path),
			.function = findings_text(c->findings, from[i].function),
			.module = findings_text(c->findings, module_name(from[i].module)),
			.offset = from[i].offset,
			.line = from[i].line,
			.inlined = from[i].inlined,
		};
		stack.frames[i].own = own_frame(&stack.frames[i], from[i].module, c->options);
	}
	stack.location = own_location(&stack);
	return stack;
}

/* True if this persisted store explains nothing: a later one overwrote it, or it belongs to a store that is partly
 * lost. */
static bool store_is_idle(const struct crash_sighting *s, uint64_t index)
{
	const struct crash_store *store = &s->persisted[index];

	for (uint64_t i = 0; i < s->persisted_count && i < STORES_LOOKED_AT; i++)
		if (s->persisted[i].file == store->file && s->persisted[i].offset == store->offset &&
		    s->persisted[i].size == store->size && s->persisted[i].event > store->event)
			return true;
	for (uint64_t i = 0; i < s->lost_count && i < STORES_LOOKED_AT && s->cause != CAUSE_TORN; i++)
		if ((store->event && s->lost[i].event == store->event) ||
		    (s->lost[i].file == store->file && s->lost[i].offset == store->offset &&
		     s->lost[i].size == store->size))
			return true;
	return false;
}

/* True if the store helps to explain the failure.  If the search found the stores that recovery needs to fail, those
 * do.  If not, earlier stores that are still pending do not, because they might have been lost as well. */
static bool store_is_telling(const struct crash_sighting *s, const struct crash_store *store)
{
	if (s->pair)
		return store->needed;
	return !s->lost_count || store->certain || store->event >= s->lost[0].event;
}

/* The stores that are not idle: telling ones first, otherwise in their original sequence.  The caller frees the
 * array. */
static struct crash_store *persisted_choose(const struct crash_sighting *s, uint64_t *count, uint64_t *telling)
{
	struct crash_store *chosen = mem_alloc((s->persisted_count + 1) * sizeof(*chosen));

	*count = *telling = 0;
	for (unsigned round = 0; round < 2; round++) {
		for (uint64_t i = 0; i < s->persisted_count; i++)
			if (!store_is_idle(s, i) && store_is_telling(s, &s->persisted[i]) == !round)
				chosen[(*count)++] = s->persisted[i];
		*telling = round ? *telling : *count;
	}
	return chosen;
}

static struct finding_operation operation_make(struct findings *findings, const struct finding_operation *from)
{
	struct finding_operation operation = *from;

	operation.text = from->known ? findings_text(findings, from->text) : NULL;
	return operation;
}

/* Legal histories that print the same line are one. */
static struct finding_mismatch mismatch_make(struct findings *findings, const struct finding_mismatch *from)
{
	struct finding_expected *expected = findings_block(findings, from->expected_count, sizeof(*expected));
	struct finding_mismatch mismatch = {
		.expected = expected,
		.got = findings_text(findings, from->got),
		.line = from->line,
		.query = findings_text(findings, from->query),
		.recorded = from->recorded,
		.endless = from->endless,
	};

	for (size_t i = 0; i < from->expected_count; i++) {
		size_t same = 0;

		while (same < mismatch.expected_count && strcmp(expected[same].line, from->expected[i].line) != 0)
			same++;
		if (same == mismatch.expected_count)
			expected[mismatch.expected_count++] = (struct finding_expected){
				.line = findings_text(findings, from->expected[i].line),
				.history = findings_text(findings, from->expected[i].history),
			};
	}
	if (mismatch.expected_count == 1)
		expected[0].history = from->expected_count == 1 ? expected[0].history : NULL;
	return mismatch;
}

static struct finding_crash *crash_make(struct crash_findings *c, const struct crash_sighting *s, bool in_library)
{
	struct finding_crash *crash = findings_block(c->findings, 1, sizeof(*crash));

	*crash = (struct finding_crash){
		.point = stacks_make(&c->stacks, s->point),
		.point_op = findings_text(c->findings, s->point_op),
		.point_event = s->point_event,
		.operation = operation_make(c->findings, &s->operation),
		.cause = s->cause,
		.failure = s->kind,
		.lost_total = s->lost_count,
		.states = s->states,
		.mode = findings_text(c->findings, s->mode),
		.folder = findings_text(c->findings, s->folder),
		.nested = s->nested,
		.always = s->always,
		.unfinished = s->unfinished,
	};
	uint64_t telling;
	struct crash_store *persisted = persisted_choose(s, &crash->persisted_total, &telling);

	crash->persisted = stores_make(c, persisted, crash->persisted_total, in_library, &crash->persisted_count);
	crash->telling_count = telling < crash->persisted_count ? (size_t)telling : crash->persisted_count;
	free(persisted);
	crash->lost = stores_make(c, s->lost, s->lost_count, in_library, &crash->lost_count);
	if (in_library)
		stack_blame_library(&crash->point);
	crash->recovery.ending = s->ending;
	crash->recovery.out = tail_text(c->findings, s->out);
	crash->recovery.err = tail_text(c->findings, s->err);
	crash->recovery.mismatch = mismatch_make(c->findings, &s->mismatch);
	crash->recovery.stack = recovery_stack(c, s->frames, s->frame_count);
	return crash;
}

/* ---- the finding ---- */

/* The store that the finding is about; the drawing shows its line. */
static const struct crash_store *sighting_store(const struct crash_sighting *s)
{
	bool early = s->cause == CAUSE_EARLY || !s->lost_count;

	if (early)
		return s->persisted_count ? &s->persisted[0] : NULL;
	return &s->lost[0];
}

static void finding_example(struct crash_findings *c, struct finding *finding, const struct crash_store *store)
{
	const struct trace_file *file = store ? trace_file(c->trace, store->file) : NULL;

	if (!file || finding->crash->nested) /* its events are in another recording, so they cannot be drawn */
		return;
	finding->pool = findings_text(c->findings, file->path);
	finding->pool_name = findings_pool_name(c->findings, finding->pool);
	finding->first = (struct sighting_example){store->file, store->size, store->offset, store->event};
	finding->largest = finding->first;
}

/* Adds the other places that the sentences name. */
static void finding_relate(struct crash_findings *c, struct finding *finding)
{
	const struct finding_crash *crash = finding->crash;
	const struct finding_invariant *invariant = finding->invariant;
	const struct finding_stack *flush = crash->lost_count ? &crash->lost[0].flush : NULL;
	struct finding_related *related = findings_block(c->findings, 2 + CRASH_REASONS_MAX, sizeof(*related));

	if (invariant || (crash->telling_count && crash->lost_count))
		related[finding->related_count++] =
			(struct finding_related){.role = ROLE_STORE,
						 .stack = invariant ? invariant->second : crash->persisted[0].stack};
	if (flush && flush->count)
		related[finding->related_count++] = (struct finding_related){.role = ROLE_FLUSH, .stack = *flush};
	for (size_t i = 0; invariant && i < invariant->because_count; i++)
		if (invariant->because[i].role != ROLE_STORE)
			related[finding->related_count++] = invariant->because[i];
	finding->related = related;
}

static struct finding finding_make(struct crash_findings *c, const struct crash_sighting *s)
{
	const struct crash_store *store = sighting_store(s);
	uint32_t context = s->blamed ? s->blamed : s->point ? s->point : store ? store->context : 0;
	bool in_library = sighting_blames_library(c, s);
	enum finding_kind kind = s->invariant ? invariant_kind(s->invariant->rule) : s->kind;
	struct finding finding = {
		.kind = kind,
		.severity = s->cause == CAUSE_CREATION ? SEVERITY_WARNING : kind_get(kind)->severity,
		.count = s->states,
		.stack = stacks_make(&c->stacks, context),
		.crash = crash_make(c, s, in_library),
		.invariant = s->invariant ? invariant_make(&c->stacks, s->invariant) : NULL,
	};

	if (s->blamed)
		finding.variable = stacks_variable(&c->stacks, s->blamed);
	if (in_library)
		stack_blame_library(&finding.stack);
	finding.crash->in_library = in_library;

	finding_add_platform(c->findings, &finding, s->platform);
	for (size_t i = 0; i < s->detector_count; i++)
		finding_add_detector(c->findings, &finding, s->detectors[i]);
	finding_relate(c, &finding);
	finding_example(c, &finding, store);
	return finding;
}

/* Adds another sighting of the same finding: another context of the same place, or another platform.  If only the other
 * one has an invariant, it tells more. */
static void finding_join(struct findings *findings, struct finding *finding, const struct finding *again)
{
	if (again->invariant && !finding->invariant)
		invariant_adopt(findings, finding, again);
	for (size_t i = 0; i < again->detector_count; i++)
		finding_add_detector(findings, finding, again->detectors[i]);
	if (!strcmp(finding->platforms[0], again->platforms[0])) {
		finding->count += again->count;
		finding->crash->states += again->count;
		return;
	}
	finding_add_platform(findings, finding, again->platforms[0]);
}

/* Counts the places in the user's code that call the library whose mistake this is. */
static void caller_note(struct crash_findings *c, size_t index, const struct finding_stack *stack)
{
	struct finding_crash *crash = c->findings->at[index].crash;

	if (!crash->in_library)
		return;
	XXH3_state_t *key = XXH3_createState();
	BUG_ON(!key);
	XXH3_128bits_reset(key);
	XXH3_128bits_update(key, &index, sizeof(index));
	key_frame(key, &stack->frames[own_location(stack)]);
	XXH128_hash_t sum = XXH3_128bits_digest(key);
	XXH3_freeState(key);
	uint64_t *seen = map_put(&c->callers, sum.low64, sum.high64);
	crash->seen_from += !*seen;
	*seen = 1;
}

static void sighting_add(struct crash_findings *c, const struct crash_sighting *sighting)
{
	struct finding finding = finding_make(c, sighting);
	XXH128_hash_t key = finding_key(&finding);
	uint64_t *known = map_put(&c->known, key.low64, key.high64);

	if (*known) {
		finding_join(c->findings, &c->findings->at[*known - 1], &finding);
		caller_note(c, *known - 1, &finding.stack);
		return;
	}
	if (!sighting->states)
		return;
	crash_say(c->findings, &finding);
	findings_add(c->findings, &finding);
	*known = c->findings->count;
	caller_note(c, *known - 1, &finding.stack);
}

/* ---- order ---- */

/* True if a library made this store for its own purposes. */
static bool context_is_library(struct crash_findings *c, uint32_t context)
{
	uint64_t *known = map_put(&c->libraries, context, 0);

	if (!*known) {
		struct finding_stack stack = stacks_make(&c->stacks, context);

		*known = own_library(&stack) < stack.count ? IS_LIBRARY : IS_NOT;
	}
	return *known == IS_LIBRARY;
}

/* Puts stores that libraries made for themselves after the others, and otherwise keeps the sequence.  The sentences
 * are about the first store, so with `keep_first` it stays first. */
static struct crash_store *stores_compare(struct crash_findings *c, const struct crash_store *from, uint64_t count,
					  bool keep_first)
{
	struct crash_store *ordered = mem_alloc((count + 1) * sizeof(*ordered));
	uint64_t used = 0, first = keep_first && count;

	if (first)
		ordered[used++] = from[0];
	for (unsigned library = 0; library < 2; library++)
		for (uint64_t i = first; i < count; i++)
			if (context_is_library(c, from[i].context) == library)
				ordered[used++] = from[i];
	return ordered;
}

void crash_add(struct crash_findings *c, const struct crash_sighting *given)
{
	struct crash_sighting ordered = *given;
	struct crash_store *lost = stores_compare(c, given->lost, given->lost_count, !given->unfinished),
			   *persisted = stores_compare(c, given->persisted, given->persisted_count, true);

	ordered.lost = lost;
	ordered.persisted = persisted;
	if (given->unfinished && given->lost_count)
		ordered.blamed = lost[0].context;
	sighting_add(c, &ordered);
	free(lost);
	free(persisted);
}

/* A library's mistake appears wherever the program calls the library, but the stack shows only one place.  So the
 * message tells the number of places. */
static void callers_say(struct findings *findings, size_t first)
{
	for (size_t i = first; i < findings->count; i++) {
		struct finding *finding = &findings->at[i];
		char text[8192 + 100];

		if (!finding->crash || finding->crash->seen_from < 2)
			continue;
		snprintf(text, sizeof(text), "%s; seen from %zu places of the program", finding->message,
			 finding->crash->seen_from);
		finding->message = findings_text(findings, text);
	}
}

void crash_end(struct crash_findings *c)
{
	struct sources *sources = sources_new();

	callers_say(c->findings, c->first);
	crash_unite(c->findings);
	fingerprint_all(c->findings, sources);
	sources_free(sources);
	findings_number(c->findings);
	stacks_free(&c->stacks);
	map_free(&c->known);
	map_free(&c->libraries);
	map_free(&c->callers);
	touched_free(c->touched);
	free(c);
}
