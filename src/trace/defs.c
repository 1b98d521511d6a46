/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trace/defs.h"

#include <string.h>
#include <xxhash.h>

#include "expression/expressions.h"

void defs_init(struct defs *defs)
{
	*defs = (struct defs){
		.modules = SLAB_OF(struct trace_module),
		.contexts = SLAB_OF(struct trace_context),
		.files = SLAB_OF(struct trace_file),
		.functions = SLAB_OF(struct trace_function),
		.reads = SLAB_OF(struct trace_read),
		.labels = SLAB_OF(struct def_label),
		.metas = SLAB_OF(struct def_meta),
		.blocks = SLAB_OF(struct trace_block),
		.expressions = expressions_new(),
	};
}

void defs_free(struct defs *defs)
{
	slab_free(&defs->modules);
	slab_free(&defs->contexts);
	slab_free(&defs->files);
	slab_free(&defs->functions);
	slab_free(&defs->reads);
	slab_free(&defs->labels);
	slab_free(&defs->metas);
	slab_free(&defs->blocks);
	map_free(&defs->file_ids);
	map_free(&defs->meta_ids);
	map_free(&defs->read_ids);
	expressions_free(defs->expressions);
	arena_free(&defs->strings);
	vec_free(&defs->label_reads);
}

uint32_t defs_add_module(struct defs *defs, const struct trace_module *module)
{
	*(struct trace_module *)slab_push(&defs->modules) = *module;
	return (uint32_t)defs->modules.count;
}

uint32_t defs_add_context(struct defs *defs, const struct trace_context *context)
{
	*(struct trace_context *)slab_push(&defs->contexts) = *context;
	return (uint32_t)defs->contexts.count;
}

uint32_t defs_add_file(struct defs *defs, const struct trace_file *file)
{
	*(struct trace_file *)slab_push(&defs->files) = *file;
	*map_put(&defs->file_ids, file->dev, file->ino) = defs->files.count;
	return (uint32_t)defs->files.count;
}

uint32_t defs_add_function(struct defs *defs, const struct trace_function *function)
{
	*(struct trace_function *)slab_push(&defs->functions) = *function;
	return (uint32_t)defs->functions.count;
}

uint32_t defs_add_read(struct defs *defs, const struct trace_read *read)
{
	uint64_t key[] = {read->file, read->context, read->offset, read->size};
	XXH128_hash_t hash = XXH3_128bits(key, sizeof(key));
	uint64_t *id = map_put(&defs->read_ids, hash.high64, hash.low64);

	if (!*id) {
		*(struct trace_read *)slab_push(&defs->reads) = *read;
		*id = defs->reads.count;
	}
	return (uint32_t)*id;
}

void defs_set_branch(struct defs *defs, uint32_t read, uint32_t context)
{
	struct trace_read *of = slab_at(&defs->reads, (size_t)read - 1);

	if (!of->branch)
		of->branch = context;
}

void defs_begin_label(struct defs *defs, bool many)
{
	*(struct def_label *)slab_push(&defs->labels) =
		(struct def_label){.start = defs->label_reads.count, .many = many};
}

void defs_add_to_label(struct defs *defs, uint32_t read)
{
	struct def_label *label = slab_at(&defs->labels, defs->labels.count - 1);
	size_t at = label->start + label->count;

	while (at > label->start && defs->label_reads.at[at - 1] > read)
		at--;
	if (at > label->start && defs->label_reads.at[at - 1] == read)
		return;
	vec_push(&defs->label_reads, read);
	memmove(defs->label_reads.at + at + 1, defs->label_reads.at + at,
		(label->start + label->count - at) * sizeof(read));
	defs->label_reads.at[at] = read;
	label->count++;
}

struct trace_label defs_label(const struct defs *defs, uint32_t id)
{
	const struct def_label *label = slab_at(&defs->labels, (size_t)id - 1);

	if (!label)
		return (struct trace_label){0};
	return (struct trace_label){defs->label_reads.at + label->start, label->count, label->many};
}

uint32_t defs_find_file(const struct defs *defs, uint64_t dev, uint64_t ino)
{
	const uint64_t *id = map_get(&defs->file_ids, dev, ino);

	return id ? (uint32_t)*id : 0;
}

void defs_set_meta(struct defs *defs, const char *key, const char *value)
{
	XXH128_hash_t hash = XXH3_128bits(key, strlen(key));
	uint64_t *id = map_put(&defs->meta_ids, hash.high64, hash.low64);
	struct def_meta *meta;

	if (!*id) {
		slab_push(&defs->metas);
		*id = defs->metas.count;
	}
	meta = slab_at(&defs->metas, *id - 1);
	*meta = (struct def_meta){key, value};
}

const char *defs_meta(const struct defs *defs, const char *key)
{
	XXH128_hash_t hash = XXH3_128bits(key, strlen(key));
	const uint64_t *id = map_get(&defs->meta_ids, hash.high64, hash.low64);
	const struct def_meta *meta = id ? slab_at(&defs->metas, *id - 1) : NULL;

	return meta ? meta->value : NULL;
}
