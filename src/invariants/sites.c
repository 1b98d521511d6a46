/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sites.c - see sites.h. */
#include "invariants/sites.h"

#include <string.h>
#include <xxhash.h>

#include "trace/code_place.h"
#include "trace/library.h"

void sites_init(struct sites *sites)
{
	*sites = (struct sites){.codes = SLAB_OF(struct invariant_code), .modules = SLAB_OF(struct trace_module)};
}

void sites_free(struct sites *sites)
{
	map_free(&sites->numbers);
	slab_free(&sites->codes);
	vec_free(&sites->generals);
	map_free(&sites->module_numbers);
	slab_free(&sites->modules);
	arena_free(&sites->paths);
	vec_free(&sites->by_context);
	vec_free(&sites->module_kinds);
}

void sites_begin(struct sites *sites, const struct trace *trace, unsigned recording)
{
	sites->trace = trace;
	sites->recording = recording;
	sites->by_context.count = 0;
	sites->module_kinds.count = 0;
}

static enum library_kind module_kind(struct sites *sites, uint32_t id)
{
	const struct trace_module *module = trace_module(sites->trace, id);
	const char *path = module ? module->path : NULL, *slash = path ? strrchr(path, '/') : NULL;

	while (sites->module_kinds.count <= id)
		vec_push(&sites->module_kinds, 0);
	if (!sites->module_kinds.at[id])
		sites->module_kinds.at[id] = (uint8_t)(1 + library_kind(slash ? slash + 1 : path));
	return (enum library_kind)(sites->module_kinds.at[id] - 1);
}

/* The module of a frame, as a copy that outlives the recording. */
static const struct trace_module *module_copy(struct sites *sites, uint32_t frame)
{
	const struct trace_module *module = trace_module(sites->trace, trace_context(sites->trace, frame)->module);
	uint64_t *number = map_put(&sites->module_numbers, code_place(sites->trace, frame).module, 0);
	struct trace_module *copy;

	if (!module || !*module->path)
		return NULL;
	if (!*number) {
		copy = slab_push(&sites->modules);
		*copy = *module;
		copy->path = arena_copy(&sites->paths, module->path, strlen(module->path));
		*number = sites->modules.count;
	}
	return slab_at(&sites->modules, *number - 1);
}

/* Number the frames from `context` to `own`, which is the one that represents them. */
static uint32_t site_number(struct sites *sites, uint32_t context, uint32_t own, XXH128_hash_t frames, uint32_t general)
{
	uint64_t *number = map_put(&sites->numbers, frames.low64, frames.high64);
	const struct trace_context *frame = trace_context(sites->trace, own);
	const struct trace_context *caller = trace_context(sites->trace, frame->parent);

	if (!*number) {
		*(struct invariant_code *)slab_push(&sites->codes) = (struct invariant_code){
			.module = module_copy(sites, own),
			.offset = frame->offset,
			.caller = own != context,
			.from = general && caller ? module_copy(sites, frame->parent) : NULL,
			.from_offset = general && caller ? caller->offset : 0,
			.recording = sites->recording,
			.context = context,
		};
		*number = sites->codes.count;
		vec_push(&sites->generals, general ? general : (uint32_t)*number);
	}
	return (uint32_t)*number;
}

/* Frames, one after the other, innermost first. */
struct frames {
	XXH128_hash_t inner;
	struct code_place place;
};

static void frames_add(struct frames *frames, struct code_place place)
{
	frames->place = place;
	frames->inner = XXH3_128bits(frames, sizeof(*frames));
}

static uint32_t site_find(struct sites *sites, uint32_t context)
{
	uint32_t own = context, caller, general;
	struct frames frames = {0};

	for (;; own = caller) {
		enum library_kind kind = module_kind(sites, trace_context(sites->trace, own)->module);

		caller = trace_context_parent(sites->trace, own);
		if (kind == LIBRARY_SERVANT && caller)
			continue;
		frames_add(&frames, code_place(sites->trace, own));
		if (kind == LIBRARY_NONE || !caller)
			break;
	}
	general = site_number(sites, context, own, frames.inner, 0);
	if (!caller)
		return general;
	frames_add(&frames, code_place(sites->trace, caller));
	return site_number(sites, context, own, frames.inner, general);
}

uint32_t sites_of(struct sites *sites, uint32_t context)
{
	if (!context)
		return 0;
	while (sites->by_context.count <= context)
		vec_push(&sites->by_context, 0);
	if (!sites->by_context.at[context])
		sites->by_context.at[context] = site_find(sites, context);
	return sites->by_context.at[context];
}

uint32_t sites_general(const struct sites *sites, uint32_t site)
{
	return site ? sites->generals.at[site - 1] : 0;
}

const struct invariant_code *sites_code(const struct sites *sites, uint32_t site)
{
	return slab_at(&sites->codes, (size_t)site - 1);
}
