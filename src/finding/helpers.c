/* SPDX-License-Identifier: GPL-2.0-or-later */
/* helpers.c - see helpers.h.  Comments here refer to the numbered rules there.
 *
 * The search makes two rounds over the active contexts.  The first round marks every function on the way to a change
 * of PM.  The second round walks up from each flush and fence to the first marked function; all functions before it
 * are candidates.  A function is identified by its identity in the debug info, so that its copies count together, or
 * by its name if there is no debug info. */
#include "finding/helpers.h"

#include <string.h>
#include <xxhash.h>

#include "base/map.h"
#include "finding/own.h"

struct function {
	const char *name;
	enum symbols_given given;
	bool changes, flushes, fences;
	bool returns;
	bool follows; /* it wrote back data that its callers had stored */
	bool helper;
};

/* The lines that one call site makes a function flush. */
struct calls {
	size_t function;
	uint64_t first_line, last_line;
	bool varies;
};

struct helpers {
	VEC_OF(struct function) functions;
	struct map numbers; /* from the key of a function to 1 + its index */
	struct map lines;   /* from a function and one of its lines to bits: rule 5 */
};

/* Were the flushes or fences through a line needless, or did they do some work?  If the line flushes, its fences are
 * ignored: they also wait for needless flushes. */
enum { FLUSHES_NEEDLESS = 1, FLUSHES = 2, FENCES_NEEDLESS = 4, FENCES = 8 };

/* A frame of a stack. */
struct step {
	const struct symbols_frame *frame;
	bool own;
};

struct finder {
	struct helpers *helpers;
	const struct trace *trace;
	struct symbols *symbols;
	const struct activity *activity;
	const struct findings_options *options;
	bool *changing; /* by context: already marked, with its callers */
	struct map own; /* from a frame to OWN or FOREIGN */
	VEC_OF(struct calls) calls;
	struct map call_of;        /* from function and call site to 1 + index of calls */
	VEC_OF(struct step) stack; /* innermost first */
};

enum { OWN = 1, FOREIGN };

/* ---- functions ---- */

static void frame_key(const struct symbols_frame *frame, uint64_t key[2])
{
	key[0] = frame->identity;
	key[1] = 0;
	if (key[0])
		return;
	key[0] = XXH3_64bits(frame->module, strlen(frame->module));
	key[1] = frame->function ? XXH3_64bits(frame->function, strlen(frame->function)) : frame->offset;
}

static size_t function_index(struct helpers *helpers, const struct symbols_frame *frame)
{
	uint64_t key[2];

	frame_key(frame, key);
	uint64_t *found = map_put(&helpers->numbers, key[0], key[1]);
	if (!*found) {
		vec_push(&helpers->functions, (struct function){.name = frame->function});
		*found = helpers->functions.count;
	}
	return *found - 1;
}

static struct function *function_of(struct helpers *helpers, const struct symbols_frame *frame)
{
	size_t index = function_index(helpers, frame); /* may move the array of functions */

	return &helpers->functions.at[index];
}

static bool frame_is_own(struct finder *f, const struct symbols_frame *frame, const struct trace_module *module)
{
	uint64_t *known = map_put(&f->own, (uintptr_t)frame, 0);

	if (!*known)
		*known = own_code(frame, module ? module->path : NULL, f->options) ? OWN : FOREIGN;
	return *known == OWN;
}

/* ---- rule 1: who changes PM ---- */

static void frames_mark(struct finder *f, const struct trace_context *at, bool caller)
{
	const struct symbols_frame *frames;
	size_t count = symbols_lookup(f->symbols, trace_module(f->trace, at->module), at->offset, caller, &frames);

	for (size_t i = 0; i < count; i++)
		function_of(f->helpers, &frames[i])->changes = true;
}

static void context_mark(struct finder *f, uint32_t context)
{
	const struct trace_context *at = trace_context(f->trace, context);

	if (!at)
		return;
	frames_mark(f, at, false);
	while ((context = at->parent) && !f->changing[context] && (at = trace_context(f->trace, context))) {
		f->changing[context] = true;
		frames_mark(f, at, true);
	}
}

/* ---- candidates ---- */

static uint64_t place_hash(const struct symbols_frame *frame)
{
	uint64_t at[2] = {frame->line, frame->line ? 0 : frame->offset};
	const char *where = frame->line ? frame->path : frame->module;

	return XXH3_64bits_withSeed(where, strlen(where), XXH3_64bits(at, sizeof(at)));
}

static bool same_place(const struct symbols_frame *a, const struct symbols_frame *b)
{
	return a == b || place_hash(a) == place_hash(b);
}

/* Identifies a call site.  One line may have several, if the compiler unrolled a loop.  An inlined function has no
 * call instruction, so only its line is known. */
static uint64_t call_hash(const struct symbols_frame *frame, const struct symbols_frame *caller)
{
	return frame->inlined ? place_hash(caller)
			      : XXH3_64bits_withSeed(caller->module, strlen(caller->module), caller->offset);
}

static void call_note(struct finder *f, size_t function, uint64_t call, const struct activity_site *site)
{
	uint64_t *found = map_put(&f->call_of, function, call);

	if (!*found) {
		vec_push(&f->calls, ((struct calls){function, site->first_line, site->last_line, false}));
		*found = f->calls.count;
	}
	struct calls *calls = &f->calls.at[*found - 1];
	if (site->first_line < calls->first_line)
		calls->first_line = site->first_line;
	if (site->last_line > calls->last_line)
		calls->last_line = site->last_line;
	calls->varies |= site->varies;
}

static void candidate_note(struct finder *f, size_t at, const struct activity_site *site)
{
	const struct symbols_frame *frame = f->stack.at[at].frame;
	size_t index = function_index(f->helpers, frame);
	struct function *function = &f->helpers->functions.at[index];

	if (frame->given > function->given)
		function->given = frame->given;
	function->returns |= frame->returns;
	function->flushes |= site->flushes;
	function->fences |= site->fences;
	if (site->flushes && at + 1 < f->stack.count)
		call_note(f, index, call_hash(frame, f->stack.at[at + 1].frame), site);
}

/* True if the caller at `at` of our stack, or something that it called in the same invocation, stored with the
 * context `store`.  The stacks must be equal outside of that caller. */
static bool stored_under(struct finder *f, size_t at, uint32_t store)
{
	const struct symbols_frame *const *other;
	size_t count = symbols_stack(f->symbols, f->trace, store, &other), outside = f->stack.count - at;

	if (count < outside)
		return false;
	for (size_t i = 1; i < outside; i++)
		if (!same_place(f->stack.at[f->stack.count - i].frame, other[count - i]))
			return false;
	return function_index(f->helpers, f->stack.at[at].frame) == function_index(f->helpers, other[count - outside]);
}

static void stack_read(struct finder *f, uint32_t context)
{
	bool caller = false;

	f->stack.count = 0;
	for (const struct trace_context *at; (at = trace_context(f->trace, context)); context = at->parent) {
		const struct trace_module *module = trace_module(f->trace, at->module);
		const struct symbols_frame *frames;
		size_t count = symbols_lookup(f->symbols, module, at->offset, caller, &frames);

		for (size_t i = 0; i < count; i++)
			vec_push(&f->stack, ((struct step){&frames[i], frame_is_own(f, &frames[i], module)}));
		caller = true;
	}
}

/* Walks from the flush or fence outwards to the first user function that changes PM. */
static void context_walk(struct finder *f, uint32_t context, const struct activity_site *site)
{
	bool follows = false;
	size_t end = 0;

	stack_read(f, context);
	for (; end < f->stack.count; end++) {
		if (!f->stack.at[end].own)
			continue;
		if (function_of(f->helpers, f->stack.at[end].frame)->changes)
			break;
		candidate_note(f, end, site);
	}
	for (unsigned i = 0; end < f->stack.count && i < ACTIVITY_COVERED_MAX && site->covered[i]; i++)
		follows |= stored_under(f, end, site->covered[i]);
	for (size_t i = 0; follows && i < end; i++)
		if (f->stack.at[i].own)
			function_of(f->helpers, f->stack.at[i].frame)->follows = true;
}

/* ---- rules 2 to 4 ---- */

/* True if several call sites exist and all make the function flush the same lines every time.  Without debug info, a
 * single call site that always flushes the same lines counts too. */
static bool flushes_the_same(const struct finder *f, size_t index)
{
	const struct calls *first = NULL;
	size_t places = 0;

	for (size_t i = 0; i < f->calls.count; i++) {
		const struct calls *calls = &f->calls.at[i];

		if (calls->function != index)
			continue;
		if (calls->varies ||
		    (first && (first->first_line != calls->first_line || first->last_line != calls->last_line)))
			return false;
		first = first ? first : calls;
		places++;
	}
	return places > 1 || f->helpers->functions.at[index].given == GIVEN_UNKNOWN;
}

static bool function_is_kept(const struct finder *f, const struct function *function)
{
	for (size_t i = 0; f->options && i < f->options->no_fold_count; i++)
		if (own_matches_function(f->options->no_fold[i], function->name))
			return true;
	return false;
}

static bool function_helps(const struct finder *f, size_t index)
{
	const struct function *function = &f->helpers->functions.at[index];
	bool address = function->given == GIVEN_ADDRESS && !function->returns;

	if (function->changes || !(function->flushes || function->fences) || function_is_kept(f, function))
		return false;
	if (!function->flushes)
		return address || (function->given == GIVEN_NOTHING && !function->returns);
	return function->given != GIVEN_NOTHING && (address || (function->follows && !flushes_the_same(f, index)));
}

/* ---- rule 5: needless lines ---- */

/* Index in our stack of the function where it diverges from the stack of `other`: both were in the same call of that
 * function, but at different lines.  The count if there is none. */
static size_t stack_parting(struct finder *f, uint32_t other)
{
	const struct symbols_frame *const *frames;
	size_t count = symbols_stack(f->symbols, f->trace, other, &frames), at = f->stack.count;

	while (at && count && same_place(f->stack.at[at - 1].frame, frames[count - 1])) {
		at--;
		count--;
	}
	if (!at || !count ||
	    function_index(f->helpers, f->stack.at[at - 1].frame) != function_index(f->helpers, frames[count - 1]))
		return f->stack.count;
	return at - 1;
}

/* Index of the innermost helper in our stack that flushes, if no fence of the context ever had anything to wait for;
 * otherwise the count.  A function that only fences is not to blame: its caller is. */
static size_t stack_idle(const struct finder *f, const struct activity_site *site)
{
	size_t i = site->awaited ? f->stack.count : 0;

	for (; i < f->stack.count; i++) {
		const struct function *function = function_of(f->helpers, f->stack.at[i].frame);

		if (function->helper && function->flushes)
			break;
	}
	return i;
}

static void lines_read(struct finder *f, uint32_t context, const struct activity_site *site)
{
	uint64_t vain = site->flushes ? FLUSHES_NEEDLESS : FENCES_NEEDLESS, works = site->flushes ? FLUSHES : FENCES;
	size_t in_vain;

	stack_read(f, context);
	if (site->flushes)
		in_vain = site->again ? stack_parting(f, site->again) : f->stack.count;
	else
		in_vain = stack_idle(f, site);
	for (size_t i = 0; i < f->stack.count; i++) {
		const struct symbols_frame *frame = f->stack.at[i].frame;
		size_t index = function_index(f->helpers, frame);

		if (f->helpers->functions.at[index].helper && frame->line)
			*map_put(&f->helpers->lines, index, frame->line) |= i == in_vain ? vain : works;
	}
}

/* ---- all ---- */

static void contexts_read(struct finder *f)
{
	for (uint32_t id = 1; id < activity_room(f->activity); id++) {
		const struct activity_site *site = activity_at(f->activity, id);

		if (site && site->changes)
			context_mark(f, id);
	}
	for (uint32_t id = 1; id < activity_room(f->activity); id++) {
		const struct activity_site *site = activity_at(f->activity, id);

		if (site && (site->flushes || site->fences))
			context_walk(f, id, site);
	}
}

struct helpers *helpers_find(const struct trace *trace, struct symbols *symbols, const struct activity *activity,
			     const struct findings_options *options)
{
	struct helpers *helpers = mem_alloc(sizeof(*helpers));
	struct finder f = {.helpers = helpers,
			   .trace = trace,
			   .symbols = symbols,
			   .activity = activity,
			   .options = options,
			   .changing = mem_alloc(trace_context_count(trace) + 1)};

	contexts_read(&f);
	for (size_t i = 0; i < helpers->functions.count; i++)
		helpers->functions.at[i].helper = function_helps(&f, i);
	for (uint32_t id = 1; id < activity_room(activity); id++) {
		const struct activity_site *site = activity_at(activity, id);

		if (site && (site->flushes || site->fences))
			lines_read(&f, id, site);
	}
	vec_free(&f.calls);
	vec_free(&f.stack);
	map_free(&f.own);
	map_free(&f.call_of);
	free(f.changing);
	return helpers;
}

void helpers_free(struct helpers *helpers)
{
	if (!helpers)
		return;
	vec_free(&helpers->functions);
	map_free(&helpers->numbers);
	map_free(&helpers->lines);
	free(helpers);
}

static bool line_is_needless(uint64_t bits)
{
	uint64_t flushes = bits & (FLUSHES_NEEDLESS | FLUSHES);

	return flushes ? flushes == FLUSHES_NEEDLESS : bits == FENCES_NEEDLESS;
}

bool helpers_have(const struct helpers *helpers, const struct symbols_frame *frame)
{
	uint64_t key[2];

	if (!helpers)
		return false;
	frame_key(frame, key);
	const uint64_t *found = map_get(&helpers->numbers, key[0], key[1]);
	if (!found || !helpers->functions.at[*found - 1].helper)
		return false;
	const uint64_t *line = map_get(&helpers->lines, *found - 1, frame->line);
	return !line || !line_is_needless(*line);
}
