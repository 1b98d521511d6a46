/* SPDX-License-Identifier: GPL-2.0-or-later */
/* own.c - see own.h. */
#include "finding/own.h"

#include <fnmatch.h>
#include <string.h>

#include "trace/library.h"

/* Sources that are folded in any module. */
static const char *const folded_sources[] = {
	/* intrinsics, and code that library headers inline */
	"/usr/include/*",
	"/usr/local/include/*",
	"*/lib/gcc/*/include/*",
	"*/lib/clang/*/include/*",
	/* libpmemobj-cpp: templates, wherever they are installed */
	"*/libpmemobj++/*",
	/* the C library, as named in its debug package: a debugger that knows the source tells only this path */
	"./*/./*",
	"./*/../sysdeps/*",
};

/* Functions that are folded in any module: the C runtime that is linked into every program and, in static programs,
 * the processor-specific versions of memcpy and similar functions. */
static const char *const folded_functions[] = {
	"_start",      "__libc_start*", "_init",      "_fini",    "__do_global_*", "__memcpy_*",
	"__memmove_*", "__mempcpy_*",   "__memset_*", "__str*_*", "__stp*_*",      "__wmem*_*",
};

static bool matches(const char *pattern, const char *text)
{
	return text && !fnmatch(pattern, text, 0);
}

static bool matches_any(const char *text, const char *const *patterns)
{
	for (; *patterns; patterns++)
		if (matches(*patterns, text))
			return true;
	return false;
}

static bool matches_place(const char *pattern, const struct finding_frame *frame, const char *module_path)
{
	return matches(pattern, frame->module) || matches(pattern, module_path) || matches(pattern, frame->path) ||
	       matches(pattern, frame->file);
}

/* Matches the whole text, or the part after any "::" or space: demangled templates have their return type before the
 * name. */
static bool matches_end(const char *pattern, const char *text)
{
	for (const char *p = text; p; p = strpbrk(p, ": ")) {
		p += strspn(p, ": ");
		if (matches(pattern, p))
			return true;
	}
	return false;
}

bool own_matches_function(const char *pattern, const char *function)
{
	char stem[1024];

	if (!function)
		return false;
	symbols_stem(stem, sizeof(stem), function);
	return matches_end(pattern, function) || matches_end(pattern, stem);
}

bool own_matches_frame(const char *pattern, const struct finding_frame *frame, const char *module_path)
{
	return own_matches_function(pattern, frame->function) || matches_place(pattern, frame, module_path);
}

bool own_frame(const struct finding_frame *frame, const char *module_path, const struct findings_options *options)
{
	for (size_t i = 0; options && i < options->fold_count; i++)
		if (own_matches_frame(options->fold[i], frame, module_path))
			return false;
	for (size_t i = 0; options && i < options->own_count; i++)
		if (matches_place(options->own[i], frame, module_path))
			return true;
	if (library_kind(frame->module) != LIBRARY_NONE)
		return false;
	for (size_t i = 0; i < sizeof(folded_sources) / sizeof(*folded_sources); i++)
		if (matches(folded_sources[i], frame->path))
			return false;
	for (size_t i = 0; i < sizeof(folded_functions) / sizeof(*folded_functions); i++)
		if (matches(folded_functions[i], frame->function))
			return false;
	return true;
}

bool own_code(const struct symbols_frame *frame, const char *module_path, const struct findings_options *options)
{
	const struct finding_frame named = {.file = frame->file,
					    .path = frame->path,
					    .function = frame->function,
					    .module = frame->module,
					    .offset = frame->offset,
					    .line = frame->line};

	return own_frame(&named, module_path, options);
}

size_t own_location(const struct finding_stack *stack)
{
	for (size_t i = 0; i < stack->count; i++)
		if (stack->frames[i].own)
			return i;
	return stack->count ? stack->count - 1 : 0;
}

/* If a library that manages the pool acted at the innermost frame, itself or through libraries that store and flush
 * for it (`inside` frames of those), returns its number of frames, and in *entry the function that was called. */
static size_t manager_frames(const struct finding_stack *stack, const struct finding_frame **entry, size_t *inside)
{
	static const char *const managers[] = {"libpmemobj.so*", "libpmemblk.so*", "libpmemlog.so*", "libpmempool.so*",
					       NULL};
	size_t i = 0, count = 0;

	while (i < stack->count && !stack->frames[i].own && library_kind(stack->frames[i].module) == LIBRARY_SERVANT)
		i++;
	*inside = i;
	for (; i < stack->count && !stack->frames[i].own && matches_any(stack->frames[i].module, managers); i++) {
		*entry = &stack->frames[i];
		count++;
	}
	return count;
}

bool own_creates(const char *function)
{
	/* The Windows versions end in U and W.  C++ pool<T>::create calls these functions, too. */
	static const char *const creators[] = {"pmemobj_create",     "pmemobj_create[UW]", "pmemlog_create",
					       "pmemlog_create[UW]", "pmemblk_create",     "pmemblk_create[UW]"};

	for (size_t i = 0; i < sizeof(creators) / sizeof(*creators); i++)
		if (matches(creators[i], function))
			return true;
	return false;
}

bool own_request(const struct finding_stack *stack)
{
	/* pmemobj_persist and similar functions jump to internal functions of the library (obj_*), so only those are
	 * on the stack.  Without debug info these have no names, but only they call libpmem directly. */
	static const char *const obedient[] = {"pmemobj_persist",
					       "pmemobj_xpersist",
					       "pmemobj_flush",
					       "pmemobj_xflush",
					       "pmemobj_drain",
					       "pmemobj_mem*",
					       "obj_*persist",
					       "obj_*flush",
					       "obj_*drain",
					       "obj_*mem*",
					       NULL};
	const struct finding_frame *entry = NULL;
	size_t inside, count = manager_frames(stack, &entry, &inside);

	return !count || matches_any(entry->function, obedient) || (count == 1 && inside && !entry->function);
}

size_t own_library(const struct finding_stack *stack)
{
	const size_t user = own_location(stack), none = stack->count;
	const struct finding_frame *entry = NULL;
	size_t i = 0, inside;

	while (i < stack->count && !stack->frames[i].own && library_kind(stack->frames[i].module) == LIBRARY_SERVANT)
		i++;
	if (i >= user || !stack->frames[user].own || stack->frames[i].helper ||
	    !strcmp(stack->frames[i].module, stack->frames[user].module))
		return none;
	return manager_frames(stack, &entry, &inside) && own_request(stack) ? none : i;
}
