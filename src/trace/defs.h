/* SPDX-License-Identifier: GPL-2.0-or-later */
/* defs.h - the definitions of a recording: modules, contexts, files, functions, threads, reads, labels, expressions
 * and facts, numbered across all its processes.
 *
 * Ids start at 1.  Items never move, and live until defs_free. */
#ifndef BLACKOUT_TRACE_DEFS_H
#define BLACKOUT_TRACE_DEFS_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/map.h"
#include "base/slab.h"
#include "base/vec.h"
#include "trace/trace.h"

struct def_meta {
	const char *key, *value;
};

struct def_label {
	size_t start, count; /* in defs.label_reads */
	bool many;
};

struct defs {
	struct slab modules;   /* struct trace_module */
	struct slab contexts;  /* struct trace_context */
	struct slab files;     /* struct trace_file */
	struct slab functions; /* struct trace_function */
	struct slab reads;     /* struct trace_read */
	struct slab labels;    /* struct def_label */
	struct slab metas;     /* struct def_meta */
	struct map file_ids;   /* (dev, ino) -> the newest file with this identity */
	struct map meta_ids;   /* hash of the key -> index + 1 in metas */
	struct map read_ids;   /* hash of place and context -> read */
	struct slab blocks;    /* struct trace_block */
	struct expressions *expressions;
	struct arena strings;
	VEC_OF(uint32_t) label_reads;
	uint32_t thread_count;
};

void defs_init(struct defs *defs);
void defs_free(struct defs *defs);

uint32_t defs_add_module(struct defs *defs, const struct trace_module *module);
uint32_t defs_add_context(struct defs *defs, const struct trace_context *context);
uint32_t defs_add_file(struct defs *defs, const struct trace_file *file);
uint32_t defs_add_function(struct defs *defs, const struct trace_function *function);

/* The recorder forgets reads and defines them again.  The same place and context is always the same read. */
uint32_t defs_add_read(struct defs *defs, const struct trace_read *read);

/* Set the branch of a read, unless it has one. */
void defs_set_branch(struct defs *defs, uint32_t read, uint32_t context);

/* Begin a label, and add a read to the label that was begun last, in its place, once. */
void defs_begin_label(struct defs *defs, bool many);
void defs_add_to_label(struct defs *defs, uint32_t read);
struct trace_label defs_label(const struct defs *defs, uint32_t id);

/* Return the newest file with this identity, or 0. */
uint32_t defs_find_file(const struct defs *defs, uint64_t dev, uint64_t ino);

/* Set a fact, replacing an older value of the key.  The strings must live as long as `defs`. */
void defs_set_meta(struct defs *defs, const char *key, const char *value);
const char *defs_meta(const struct defs *defs, const char *key);

#endif
