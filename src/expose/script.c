/* SPDX-License-Identifier: GPL-2.0-or-later */
/* script.c - see script.h.
 *
 * Checksums.  A load inside a checksum function is silent.  So is a load outside of one whose value matters only there:
 * with the layer DEPENDENCIES, a read is silent if the first branch that depends on it is inside a checksum function,
 * and no access of PM outside of one is computed from it.  That is how the checksum itself is read that the function
 * gets as an argument. */
#include "expose/script.h"

#include <stdlib.h>
#include <xxhash.h>

enum { STEPS_MAX = 1 << 22 };

#define STAGED ".scene/" /* in the paths of a stage's files, where recovery runs in place */

struct script *script_new(void)
{
	return script_use(mem_alloc(sizeof(struct script)));
}

struct script *script_use(struct script *script)
{
	script->users++;
	return script;
}

void script_drop(struct script *script)
{
	if (--script->users)
		return;
	vec_free(&script->steps);
	free(script);
}

void script_play(const struct script *script, struct race_reader *reader)
{
	for (size_t i = 0; i < script->steps.count; i++) {
		const struct script_step *step = &script->steps.at[i];

		if (step->stores)
			race_reader_store(reader, step->file, step->offset, step->size);
		else
			race_reader_load(reader, &(struct race_load){.offset = step->offset,
								     .size = step->size,
								     .file = step->file,
								     .thread = step->thread,
								     .context = step->stack,
								     .atomicity = step->atomicity,
								     .silent = step->silent});
	}
}

uint64_t script_loads(const struct script *script)
{
	uint64_t loads = 0;

	for (size_t i = 0; i < script->steps.count; i++)
		loads += !script->steps.at[i].stores;
	return loads;
}

/* Files */

static uint64_t path_hash(const char *path)
{
	return XXH3_64bits(path, strlen(path));
}

static uint64_t name_hash(const char *path)
{
	const char *slash = strrchr(path, '/');

	return path_hash(slash ? slash + 1 : path);
}

void script_files_add(struct script_files *files, const char *path, uint32_t file)
{
	bool again = map_get(&files->by_name, name_hash(path), 0);

	*map_put(&files->by_path, path_hash(path), 0) = file;
	*map_put(&files->by_name, name_hash(path), 0) = again ? 0 : file;
}

/* The program's number of a file of recovery; 0: the program does not have it. */
static uint32_t file_of(const struct script_writer *w, const struct trace *trace, uint32_t id)
{
	const struct trace_file *file = id ? trace_file(trace, id) : NULL;
	const uint64_t *known = NULL;

	if (file && file->path)
		known = map_get(&w->files.by_path, path_hash(file->path), 0);
	if (file && file->path && !known && strstr(file->path, STAGED))
		known = map_get(&w->files.by_name, name_hash(file->path), 0);
	return known ? (uint32_t)*known : 0;
}

/* Steps */

/* Steps with the same key do the same.  Which code stores makes no difference. */
static XXH128_hash_t step_key(const struct script_step *step)
{
	const uint64_t key[] = {step->file, step->offset, step->size, step->stores ? 0 : step->stack, step->stores};

	return XXH3_128bits(key, sizeof(key));
}

/* The place of such a step in the script, from 1; 0: it has none. */
static size_t step_find(const struct script_writer *w, XXH128_hash_t key)
{
	const uint64_t *place = map_get(&w->steps, key.low64, key.high64);

	return place ? *place : 0;
}

static void step_add(struct script_writer *w, const struct script_step *step)
{
	XXH128_hash_t key = step_key(step);

	if (step_find(w, key))
		return;
	if (w->script->steps.count == STEPS_MAX) {
		w->script->cut = true;
		return;
	}
	vec_push(&w->script->steps, *step);
	*map_put(&w->steps, key.low64, key.high64) = w->script->steps.count;
}

/* Dependencies */

static void read_use(struct script_writer *w, uint32_t read)
{
	while (w->used.count <= read)
		vec_push(&w->used, false);
	w->used.at[read] = true;
}

/* Something outside of checksum functions is computed from these reads. */
static void label_use(struct script_writer *w, const struct trace *trace, uint32_t id)
{
	struct trace_label label;

	while (w->labels.count <= id)
		vec_push(&w->labels, false);
	if (w->labels.at[id])
		return;
	w->labels.at[id] = true;
	label = trace_label(trace, id);
	w->unknown |= label.many;
	for (size_t i = 0; i < label.count; i++)
		read_use(w, label.reads[i]);
}

static bool read_is_used(const struct script_writer *w, uint32_t read)
{
	return read < w->used.count && w->used.at[read];
}

static void read_judge(struct script_writer *w, const struct trace *trace, uint32_t id)
{
	const struct trace_read *read = trace_read(trace, id);
	uint32_t stack = code_stacks_add(w->stacks, read->context), file = file_of(w, trace, read->file);
	size_t at;

	if (read_is_used(w, id)) {
		checksums_used(w->checksums, stack);
		return;
	}
	if (!file || !read->branch || !checksums_cover(w->checksums, code_stacks_add(w->stacks, read->branch)))
		return;
	checksums_compared(w->checksums, stack);
	at = step_find(w, step_key(&(struct script_step){
				  .file = file, .offset = read->offset, .size = read->size, .stack = stack}));
	if (at)
		w->script->steps.at[at - 1].silent = true;
}

/* The consumer */

void script_begin(void *writer, const struct trace *trace)
{
	struct script_writer *w = writer;

	code_stacks_begin(w->stacks, trace);
}

void script_event(void *writer, const struct trace *trace, const struct event *ev)
{
	struct script_writer *w = writer;
	bool loads = ev->type == EVENT_LOAD, stores = ev->type == EVENT_STORE || ev->type == EVENT_FILE_WRITE;
	struct script_step step;

	if ((!loads && !stores) || !ev->size)
		return;
	step = (struct script_step){
		.offset = ev->offset,
		.size = ev->size,
		.file = file_of(w, trace, ev->file),
		.stack = code_stacks_add(w->stacks, ev->context),
		.thread = ev->thread,
		.atomicity = (uint8_t)ev->atomicity,
		.stores = stores,
	};
	step.silent = checksums_cover(w->checksums, step.stack);
	if (ev->data_label && !step.silent)
		label_use(w, trace, ev->data_label);
	if (step.file)
		step_add(w, &step);
}

void script_end(void *writer, const struct trace *trace)
{
	struct script_writer *w = writer;

	for (uint32_t id = 1; !w->unknown && id <= trace_read_count(trace); id++)
		read_judge(w, trace, id);
}

void script_writer_free(struct script_writer *w)
{
	map_free(&w->files.by_path);
	map_free(&w->files.by_name);
	map_free(&w->steps);
	vec_free(&w->labels);
	vec_free(&w->used);
}
