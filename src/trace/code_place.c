/* SPDX-License-Identifier: GPL-2.0-or-later */
/* code_place.c - see code_place.h. */
#include "trace/code_place.h"

#include <string.h>
#include <xxhash.h>

/* A program that was built again has the same path, but another size or time. */
static uint64_t module_identity(const struct trace_module *module)
{
	const uint64_t version[] = {module->file_size, module->mtime};

	return XXH3_64bits_withSeed(module->path, strlen(module->path), XXH3_64bits(version, sizeof(version)));
}

struct code_place code_place(const struct trace *trace, uint32_t context)
{
	const struct trace_context *at = trace_context(trace, context);
	const struct trace_module *module = at ? trace_module(trace, at->module) : NULL;

	if (!at)
		return (struct code_place){0};
	return (struct code_place){.module = module && *module->path ? module_identity(module) : 0,
				   .offset = at->offset};
}

size_t code_places_add(struct code_places *places, struct code_place place)
{
	uint64_t *number = map_put(&places->numbers, place.module, place.offset);

	if (!*number)
		*number = places->numbers.count;
	return *number;
}

void code_places_free(struct code_places *places)
{
	map_free(&places->numbers);
}
