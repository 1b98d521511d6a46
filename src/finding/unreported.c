/* SPDX-License-Identifier: GPL-2.0-or-later */
/* unreported.c - see unreported.h. */
#include "finding/unreported.h"

#include <fnmatch.h>
#include <string.h>

#include "base/mem.h"
#include "finding/own.h"

/* Index of the next frame of the user's own code, from `at` on; the count if there is none. */
static size_t next_own(const struct finding_stack *stack, size_t at)
{
	while (at < stack->count && !stack->frames[at].own)
		at++;
	return at;
}

/* True if the same line of the user's code, called in the same way, did both. */
static bool same_call(const struct finding_stack *a, const struct finding_stack *b)
{
	size_t i = a->location, j = b->location;

	while (i < a->count && j < b->count) {
		if (!frame_same_place(&a->frames[i], &b->frames[j]))
			return false;
		i = next_own(a, i + 1);
		j = next_own(b, j + 1);
	}
	return i >= a->count && j >= b->count;
}

/* 1. When a library writes back a range, it takes many flush instructions, but it is one call of the user's code.
 *    The caller does not expect the lines to reach media in a particular sequence. */
static bool one_flush_call(struct stacks *stacks, const struct sighting *s)
{
	if (s->kind != KIND_UNORDERED_FLUSHES || s->related_count < 2)
		return false;
	struct finding_stack first = stacks_view(stacks, s->related[0].context);
	struct finding_frame *frames = mem_alloc((first.count + 1) * sizeof(*frames));

	memcpy(frames, first.frames, first.count * sizeof(*frames)); /* a view is valid only until the next one */
	first.frames = frames;
	struct finding_stack second = stacks_view(stacks, s->related[1].context);
	bool same = same_call(&first, &second);
	free(frames);
	return same;
}

/* 2. The C library fences after its own non-temporal copies.  Copies to volatile memory are not recorded, so the
 *    fence only seems to have nothing to wait for. */
static bool fence_of_libc(struct stacks *stacks, const struct sighting *s)
{
	if (s->kind != KIND_REDUNDANT_FENCE)
		return false;
	struct finding_stack stack = stacks_view(stacks, s->context);

	return stack.count &&
	       (!fnmatch("libc.so*", stack.frames[0].module, 0) || !fnmatch("libc-*.so", stack.frames[0].module, 0));
}

static bool module_is(const struct finding_frame *frame, const char *const *patterns)
{
	for (; *patterns; patterns++)
		if (!fnmatch(*patterns, frame->module, 0))
			return true;
	return false;
}

/* True if a library stored here for its own purposes. */
static bool stored_by_library(struct stacks *stacks, uint32_t context)
{
	struct finding_stack stack = stacks_view(stacks, context);

	return !own_request(&stack);
}

/* 3. libpmemobj and similar libraries keep run-time state, locks and logs in the pool, and leave some of it
 *    unflushed on purpose (they tell pmemcheck so with annotations).  Their metadata is not the user's concern, and
 *    neither is it that they zero an object before the user fills it.  Developers of such a library use --own to
 *    see these sightings. */
static bool store_of_library(struct stacks *stacks, const struct sighting *s)
{
	if (s->kind == KIND_DIRTY_OVERWRITE && stored_by_library(stacks, s->related[0].context))
		return true;
	return (s->kind == KIND_MISSING_FLUSH || s->kind == KIND_TRANSIENT_DATA || s->kind == KIND_DIRTY_OVERWRITE) &&
	       stored_by_library(stacks, s->context);
}

/* 4. Locked instructions complete write-backs.  If the program takes the lock, that may be intended.  It is not
 *    intended if the C library takes its own locks because the program or the thread ends. */
static bool lock_of_program(struct stacks *stacks, const struct sighting *s)
{
	static const char *const libc[] = {"libc.so*", "libc-*.so", "libpthread*.so*", "ld-*", NULL};
	static const char *const ends[] = {"exit", "quick_exit", "__run_exit_handlers", NULL};
	bool all_libc = true;

	if (s->form != FORM_MISSING_FENCE_EXIT && s->form != FORM_MISSING_FENCE_EXIT_DIRECT)
		return false;
	struct finding_stack stack = stacks_view(stacks, s->related[s->related_count - 1].context);
	for (size_t i = 0; i < stack.count; i++) {
		all_libc &= module_is(&stack.frames[i], libc);
		for (const char *const *end = ends; *end; end++)
			if (stack.frames[i].function && !strcmp(stack.frames[i].function, *end))
				return false;
	}
	return !all_libc;
}

/* 5. The flushes and fences with which these libraries open, commit and close are theirs to improve.  The user
 *    cannot remove them, and a correct program should have no finding.  Those that the user requests by name
 *    (pmemobj_persist) are the user's. */
static bool flush_of_library(struct stacks *stacks, const struct sighting *s)
{
	switch (s->kind) {
	case KIND_REDUNDANT_FLUSH:
	case KIND_SHARED_LINE_FLUSH:
	case KIND_FLUSH_VOLATILE:
	case KIND_REDUNDANT_FENCE:
	case KIND_UNORDERED_FLUSHES: break;
	default: return false;
	}
	struct finding_stack stack = stacks_view(stacks, s->context);
	return !own_request(&stack);
}

static bool function_is(const struct finding_frame *frame, const char *const *patterns)
{
	for (; *patterns; patterns++)
		if (own_matches_function(*patterns, frame->function))
			return true;
	return false;
}

/* True for code of a container of libpmemobj-cpp, which has fields of its own and sets some of them anew when the pool is
 * opened.  Its smaller classes, such as p<> and the pointers, store what the user assigns. */
static bool is_container(const struct finding_frame *frame)
{
	if (!frame->path || frame->own)
		return false;
	return !fnmatch("*/libpmemobj++/container/*", frame->path, 0) ||
	       (!fnmatch("*/libpmemobj++/experimental/*", frame->path, 0) &&
		fnmatch("*/libpmemobj++/experimental/*_ptr*", frame->path, 0));
}

/* 6. Locks in persistent memory are no part of a transaction, and neither is what libpmemobj stores for itself.  The
 *    detector knows the latter by the calls that are recorded; this is about other functions, about programs that
 *    libpmemobj is linked into, and about containers of libpmemobj-cpp. */
static bool store_for_no_transaction(struct stacks *stacks, const struct sighting *s)
{
	static const char *const locks[] = {"pthread_*", "__pthread_*",      "___pthread_*",
					    "__lll_*",   "__GI___pthread_*", NULL};
	static const char *const copies[] = {"pmemobj_mem*", NULL}, *const others[] = {"pmemobj_*", NULL};

	if (s->kind != KIND_UNLOGGED_STORE && s->kind != KIND_STORE_OUTSIDE_TRANSACTION)
		return false;
	if (stored_by_library(stacks, s->context))
		return true;
	struct finding_stack stack = stacks_view(stacks, s->context);
	for (size_t i = 0; i < stack.count; i++) {
		const struct finding_frame *frame = &stack.frames[i];

		if (is_container(frame) || function_is(frame, locks) ||
		    (function_is(frame, others) && !function_is(frame, copies)))
			return true;
		if (frame->own)
			break;
	}
	return false;
}

/* 7. The classes of libpmemobj-cpp add what they change, each time.  The user cannot remove that. */
static bool add_of_class(struct stacks *stacks, const struct sighting *s)
{
	static const char *const adders[] = {"conditional_add_to_tx*", NULL};

	if (s->kind != KIND_REDUNDANT_LOG)
		return false;
	struct finding_stack stack = stacks_view(stacks, s->context);
	for (size_t i = 0; i < stack.count && !stack.frames[i].own; i++)
		if (function_is(&stack.frames[i], adders))
			return true;
	return false;
}

bool unreported(struct stacks *stacks, const struct sighting *sighting)
{
	return one_flush_call(stacks, sighting) || fence_of_libc(stacks, sighting) ||
	       store_of_library(stacks, sighting) || lock_of_program(stacks, sighting) ||
	       flush_of_library(stacks, sighting) || store_for_no_transaction(stacks, sighting) ||
	       add_of_class(stacks, sighting);
}
