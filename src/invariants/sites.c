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

static const struct trace_module *module_copy(struct sites *sites, uint32_t id, uint64_t identity)
{
	const struct trace_module *module = trace_module(sites->trace, id);
	uint64_t *number = map_put(&sites->module_numbers, identity, 0);
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

/* Number the frames from `context` to `outermost`, which is the one that represents them. */
static uint32_t site_number(struct sites *sites, uint32_t context, uint32_t outermost, XXH128_hash_t frames)
{
	uint64_t *number = map_put(&sites->numbers, frames.low64, frames.high64);
	const struct trace_context *own = trace_context(sites->trace, outermost);
	struct invariant_code *code;

	if (!*number) {
		code = slab_push(&sites->codes);
		*number = sites->codes.count;
		*code = (struct invariant_code){
			.module = module_copy(sites, own->module, code_place(sites->trace, outermost).module),
			.offset = own->offset,
			.caller = outermost != context,
			.recording = sites->recording,
			.context = context,
		};
	}
	return (uint32_t)*number;
}

static uint32_t site_find(struct sites *sites, uint32_t context)
{
	uint32_t frame = context, parent;
	struct {
		XXH128_hash_t inner;
		struct code_place place;
	} frames = {0};

	for (;; frame = parent) {
		enum library_kind kind = module_kind(sites, trace_context(sites->trace, frame)->module);

		parent = trace_context_parent(sites->trace, frame);
		if (kind == LIBRARY_SERVANT && parent)
			continue;
		frames.place = code_place(sites->trace, frame);
		frames.inner = XXH3_128bits(&frames, sizeof(frames));
		if (kind == LIBRARY_NONE || !parent)
			return site_number(sites, context, frame, frames.inner);
	}
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

const struct invariant_code *sites_code(const struct sites *sites, uint32_t site)
{
	return slab_at(&sites->codes, (size_t)site - 1);
}
