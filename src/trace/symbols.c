/* SPDX-License-Identifier: GPL-2.0-or-later */
/* symbols.c - a cache of modules and lookups; see symbols.h. */
#include "trace/symbols.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <xxhash.h>

#include "base/map.h"
#include "base/vec.h"
#include "trace/debuginfo.h"

/* A file that contains code.  Several modules of a trace may be one file: its segments, or its mappings in several
 * processes. */
struct source {
	char *path;
	uint64_t file_size, mtime; /* as recorded */
	const char *name;          /* base name, or a substitute */
	enum symbols_state state;
	struct debuginfo *info; /* NULL unless state is LINES or NAMES */
};

struct answer {
	size_t count;
	struct symbols_frame *frames;
};

struct symbols {
	char *debug_path;
	struct map sources; /* from the hash of the path, and size and time, to a struct source * */
	struct map answers; /* from source, and offset and `caller`, to a struct answer * */
	VEC_OF(const struct symbols_frame *) stack; /* last result of symbols_stack */
};

struct symbols *symbols_open(const char *debug_path)
{
	struct symbols *symbols = mem_alloc(sizeof(*symbols));

	symbols->debug_path = debug_path ? strdup(debug_path) : NULL;
	return symbols;
}

static void answer_free(struct answer *answer)
{
	free(answer->frames);
	free(answer);
}

static void source_free(struct source *source)
{
	if (source->info)
		debuginfo_close(source->info);
	free(source->path);
	free(source);
}

void symbols_close(struct symbols *symbols)
{
	if (!symbols)
		return;
	for (size_t i = 0; i < symbols->answers.room; i++)
		if (symbols->answers.entries[i].used)
			answer_free((struct answer *)(uintptr_t)symbols->answers.entries[i].value);
	for (size_t i = 0; i < symbols->sources.room; i++)
		if (symbols->sources.entries[i].used)
			source_free((struct source *)(uintptr_t)symbols->sources.entries[i].value);
	map_free(&symbols->answers);
	map_free(&symbols->sources);
	vec_free(&symbols->stack);
	free(symbols->debug_path);
	free(symbols);
}

/* ---- sources ---- */

static enum symbols_state source_check(const struct source *source)
{
	struct stat st;

	if (*source->path != '/') /* generated code, [vdso] */
		return SYMBOLS_NOTHING;
	if (stat(source->path, &st) < 0)
		return SYMBOLS_MISSING;
	if (!S_ISREG(st.st_mode)) /* a device or FIFO of that name is not the file that ran, and must not be opened */
		return SYMBOLS_CHANGED;
	if ((uint64_t)st.st_size != source->file_size || (uint64_t)st.st_mtime != source->mtime)
		return SYMBOLS_CHANGED;
	return SYMBOLS_LINES;
}

static void source_load(struct symbols *symbols, struct source *source)
{
	const char *slash = strrchr(source->path, '/');

	source->name = slash ? slash + 1 : *source->path ? source->path : "[no file]";
	source->state = source_check(source);
	if (source->state != SYMBOLS_LINES)
		return;
	source->info = debuginfo_open(source->path, symbols->debug_path);
	if (!source->info)
		source->state = SYMBOLS_NOTHING;
	else if (!debuginfo_has_lines(source->info))
		source->state = debuginfo_has_names(source->info) ? SYMBOLS_NAMES : SYMBOLS_NOTHING;
}

static struct source *symbols_source(struct symbols *symbols, const struct trace_module *module)
{
	static const struct trace_module none = {.path = ""};

	if (!module)
		module = &none;
	XXH128_hash_t key =
		XXH3_128bits_withSeed(module->path, strlen(module->path), module->file_size ^ module->mtime << 40);
	uint64_t *found = map_put(&symbols->sources, key.low64, key.high64);
	if (!*found) {
		struct source *source = mem_alloc(sizeof(*source));

		source->path = strdup(module->path);
		BUG_ON(!source->path);
		source->file_size = module->file_size;
		source->mtime = module->mtime;
		source_load(symbols, source);
		*found = (uintptr_t)source;
	}
	return (struct source *)(uintptr_t)*found;
}

enum symbols_state symbols_module_state(struct symbols *symbols, const struct trace_module *module)
{
	return symbols_source(symbols, module)->state;
}

struct debuginfo *symbols_debuginfo(struct symbols *symbols, const struct trace_module *module)
{
	return symbols_source(symbols, module)->info;
}

const char *symbols_state_text(enum symbols_state state)
{
	switch (state) {
	case SYMBOLS_CHANGED: return "changed since the recording, so its functions and lines are not known";
	case SYMBOLS_MISSING: return "cannot be read, so its functions and lines are not known";
	default: return NULL;
	}
}

const char *symbols_problem(const struct symbols *symbols, size_t *at, enum symbols_state *state)
{
	while (*at < symbols->sources.room) {
		const struct map_entry *entry = &symbols->sources.entries[(*at)++];
		const struct source *source = (const struct source *)(uintptr_t)entry->value;

		if (!entry->used || !symbols_state_text(source->state))
			continue;
		*state = source->state;
		return source->path;
	}
	return NULL;
}

/* ---- answers ---- */

static void frame_convert(const struct debuginfo_frame *from, struct symbols_frame *to)
{
	const char *slash = from->path ? strrchr(from->path, '/') : NULL;

	to->function = from->function;
	to->path = from->path;
	to->file = slash ? slash + 1 : from->path;
	to->line = from->path ? from->line : 0;
	to->into = from->into;
	to->inlined = from->inlined;
	to->identity = from->signature.identity;
	to->given = from->signature.given;
	to->returns = from->signature.returns;
}

static struct answer *answer_make(const struct source *source, uint64_t offset, bool caller)
{
	struct answer *answer = mem_alloc(sizeof(*answer));
	struct debuginfo_frame found[DEBUGINFO_FRAMES_MAX] = {0};
	bool back = caller && offset > 0; /* a call may be the last instruction of its function */
	size_t count = 0;

	if (source->info)
		count = debuginfo_lookup(source->info, offset - back, found);
	answer->count = count ? count : 1;
	answer->frames = mem_alloc(answer->count * sizeof(*answer->frames));
	for (size_t i = 0; i < answer->count; i++) {
		if (count)
			frame_convert(&found[i], &answer->frames[i]);
		answer->frames[i].module = source->name;
		answer->frames[i].offset = offset;
	}
	if (answer->frames[answer->count - 1].function)
		answer->frames[answer->count - 1].into += back;
	return answer;
}

size_t symbols_lookup(struct symbols *symbols, const struct trace_module *module, uint64_t offset, bool caller,
		      const struct symbols_frame **frames)
{
	struct source *source = symbols_source(symbols, module);
	uint64_t *found = map_put(&symbols->answers, (uintptr_t)source, offset << 1 | caller);

	if (!*found)
		*found = (uintptr_t)answer_make(source, offset, caller);
	const struct answer *answer = (const struct answer *)(uintptr_t)*found;
	*frames = answer->frames;
	return answer->count;
}

/* ---- contexts ---- */

const struct symbols_frame *symbols_innermost(struct symbols *symbols, const struct trace *trace, uint32_t context)
{
	const struct trace_context *c = trace_context(trace, context);
	const struct symbols_frame *frames;

	if (!c)
		return NULL;
	symbols_lookup(symbols, trace_module(trace, c->module), c->offset, false, &frames);
	return frames;
}

size_t symbols_stack(struct symbols *symbols, const struct trace *trace, uint32_t context,
		     const struct symbols_frame *const **frames)
{
	bool caller = false;

	symbols->stack.count = 0;
	for (const struct trace_context *c; (c = trace_context(trace, context)); context = c->parent, caller = true) {
		const struct symbols_frame *found;
		size_t count = symbols_lookup(symbols, trace_module(trace, c->module), c->offset, caller, &found);

		for (size_t i = 0; i < count; i++)
			vec_push(&symbols->stack, &found[i]);
	}
	*frames = symbols->stack.at;
	return symbols->stack.count;
}

/* If `text` ends in "operator", the number of characters at `p` that belong to the operator: `operator<<`. */
static size_t operator_length(const char *p, const char *text, size_t used)
{
	static const char word[] = "operator";
	size_t length = sizeof(word) - 1;

	return used >= length && !memcmp(text + used - length, word, length) ? strspn(p, "<>=-") : 0;
}

void symbols_stem(char *text, size_t size, const char *function)
{
	size_t used = 0;
	int depth = 0;

	for (const char *p = function; *p && used + 1 < size; p++) {
		size_t own = depth ? 0 : operator_length(p, text, used);

		if (own) {
			for (; own && used + 1 < size; own--)
				text[used++] = *p++;
			p--;
			continue;
		}
		depth += *p == '<';
		if (!depth)
			text[used++] = *p;
		depth -= depth && *p == '>';
	}
	text[used] = 0;
}

void symbols_frame_text(const struct symbols_frame *frame, char *text, size_t size)
{
	const char *function = frame->function ? frame->function : "??";

	if (frame->line)
		snprintf(text, size, "%s %s:%" PRIu32, function, frame->file, frame->line);
	else if (frame->function)
		snprintf(text, size, "%s+0x%" PRIx64 " %s", function, frame->into, frame->module);
	else
		snprintf(text, size, "%s+0x%" PRIx64, frame->module, frame->offset);
}
