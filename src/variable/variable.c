/* SPDX-License-Identifier: GPL-2.0-or-later */
/* variable.c - see variable.h. */
#include "variable/variable.h"

#include <string.h>
#include <sys/stat.h>

#include "base/source.h"
#include "flow/insn.h"
#include "trace/library.h"
#include "variable/copier.h"
#include "variable/statement.h"
#include "variable/text_type.h"
#include "variable/type.h"
#include "variable/value.h"

#define WORD_BYTES 8u

/* An instruction of a module: a store, or the call of a function that stores. */
struct site {
	struct debuginfo *info;
	const struct trace_module *module;
	uint64_t offset; /* in the file */
	bool called;     /* it is a call: the offset is where it returns to */
	struct copier copier;
	struct sources *sources;
	struct arena *arena;
	struct debuginfo_frame frames[DEBUGINFO_FRAMES_MAX];
	size_t frame_count;
	struct line_words words;
};

/* ---- the source ---- */

/* A source that was changed after the module was built has other text on its lines. */
static const char *site_line(const struct site *site, const char *path, uint32_t line, size_t *length)
{
	struct stat st;

	if (!path || !line || stat(path, &st) < 0 || (uint64_t)st.st_mtime > site->module->mtime)
		return NULL;
	return source_line(site->sources, path, line, length);
}

static void site_read_words(struct site *site)
{
	for (size_t i = 0; i < site->frame_count; i++) {
		size_t length;
		const char *line = site_line(site, site->frames[i].path, site->frames[i].line, &length);

		if (line)
			line_words_add(&site->words, line, length);
	}
}

static bool name_from_source(const struct site *site, char *text, size_t size)
{
	const struct debuginfo_frame *frame = &site->frames[0];
	struct statement s = {.column = frame->column};

	if (!site->frame_count)
		return false;
	s.line = site_line(site, frame->path, frame->line, &s.length);
	if (!s.line)
		return false;
	if (frame->line > 1)
		s.before = site_line(site, frame->path, frame->line - 1, &s.before_length);
	return statement_target(&s, text, size);
}

/* ---- the code ---- */

/* Names of one place that were found in different ways. */
struct names_found {
	struct path best;
	bool any, contrary; /* contrary: two names of the same rank that differ */
};

/* Hidden names: of an implementation's own variables, and of an object inside of its member functions. */
static bool path_is_useful(const struct path *path)
{
	return path->rank > PATH_TARGET || (!name_is_reserved(path->text) && strcmp(path->text, "*this") != 0);
}

static bool member_same(const struct path *a, const struct path *b)
{
	return a->member && b->member ? !strcmp(a->member, b->member) : a->member == b->member;
}

static void names_add(struct names_found *found, const struct path *path, const struct line_words *words)
{
	if (!path_is_useful(path))
		return;
	if (!found->any || path->rank > found->best.rank) {
		*found = (struct names_found){.best = *path, .any = true};
		return;
	}
	if (path->rank < found->best.rank || path->rank == PATH_TARGET || member_same(path, &found->best))
		return;
	bool new_named = path->member && line_words_have(words, path->member);
	bool old_named = found->best.member && line_words_have(words, found->best.member);
	if (new_named && !old_named)
		*found = (struct names_found){.best = *path, .any = true};
	else if (new_named == old_named)
		found->contrary = true;
}

static void names_add_value(struct names_found *found, struct evaluation *e, const struct value *address, int64_t from,
			    uint64_t size)
{
	struct value v = *address;
	struct path path;

	v.offset += from;
	if (!value_to_object(e, e->use, &v))
		return;
	struct extent extent = value_extent(&v, size);
	if (!path_find(&v.object, &extent, e->words, &path))
		return;
	path.through_memory = strpbrk(v.object.text, ">.[(");
	names_add(found, &path, e->words);
}

/* The bytes that are asked for; *size 0: all that the instruction stores.  False: how many that is is not known. */
static bool store_extent(struct evaluation *e, uint32_t index, const struct effect_store *store, uint64_t *size)
{
	if (*size)
		return true;
	*size = store->size;
	if (!store->repeats)
		return true;
	struct value times = value_before(e, REG_RCX, index);
	*size *= (uint64_t)times.offset;
	return times.base == VALUE_NUMBER && !times.term_count && times.offset > 0 && times.offset <= INT32_MAX;
}

/* The operand's base register may be that of several variables. */
static void names_of_operand(struct names_found *found, struct evaluation *e, uint32_t index, int64_t from,
			     uint64_t size)
{
	const struct effect_store *store = &ways_at(e->ways, index)->store;
	struct value rest = value_of_rest(e, &store->memory, index), base, address;

	if (!store_extent(e, index, store, &size))
		return;
	if (store->memory.base == X86_NONE) {
		names_add_value(found, e, &rest, from, size);
		return;
	}
	unsigned reg = (unsigned)store->memory.base;
	for (size_t i = 0; i < e->scope->variables.count; i++)
		if (value_of_variable(e, &e->scope->variables.at[i], reg, e->use, &base)) {
			address = value_add(&base, &rest);
			names_add_value(found, e, &address, from, size);
		}
	base = value_computed_before(e, reg, index);
	address = value_add(&base, &rest);
	names_add_value(found, e, &address, from, size);
}

/* If it is not known how many bytes are stored, only an array is a certain name. */
static void names_add_array(struct names_found *found, struct evaluation *e, const struct value *address)
{
	static const char first[] = "[0]";
	struct names_found element = {0};

	names_add_value(&element, e, address, 0, 1);
	size_t length = element.any ? strlen(element.best.text) : 0, cut = sizeof(first) - 1;
	if (length <= cut || strcmp(element.best.text + length - cut, first) != 0 || element.best.rank != PATH_MEMBER)
		return;
	element.best.text[length - cut] = 0;
	names_add(found, &element.best, e->words);
}

/* The argument of a call is an address. */
static void names_of_argument(struct names_found *found, struct evaluation *e, uint32_t index,
			      const struct copier *copier)
{
	static const unsigned registers[] = {REG_RDI, REG_RSI, REG_RDX, REG_RCX};
	struct value address = value_before(e, registers[copier->target], index), length = {0};

	if (copier->length != COPIER_NONE)
		length = value_before(e, registers[copier->length], index);
	if (copier->size)
		names_add_value(found, e, &address, 0, copier->size);
	else if (length.base == VALUE_NUMBER && !length.term_count && length.offset > 0)
		names_add_value(found, e, &address, 0, (uint64_t)length.offset);
	else
		names_add_array(found, e, &address);
}

/* A function that ends with a jump to memcpy is not in the stack: then the call is that of another function. */
static bool call_reaches_copier(const struct site *site, const struct ways_insn *insn)
{
	const char *name = insn->kind == FLOW_CALL ? debuginfo_callee(site->info, insn->target) : NULL;
	struct copier reached;

	return name && copier_find(name, &reached) && reached.target == site->copier.target &&
	       reached.length == site->copier.length && reached.size == site->copier.size;
}

/* The function around a site. */
struct code_at {
	struct scope scope;
	struct ways *ways; /* NULL: unknown */
	uint32_t index;    /* of the instruction; WAYS_NONE: unknown */
	uint32_t store_size;
};

static bool code_open(const struct site *site, struct code_at *code)
{
	uint64_t pc;

	*code = (struct code_at){.index = WAYS_NONE};
	if (!debuginfo_address(site->info, site->offset, &pc))
		return false;
	if (!scope_open(&code->scope, site->info, pc - site->called))
		return true;
	code->ways = ways_new(site->info, &code->scope.function);
	if (code->ways)
		code->index = site->called ? ways_find_call(code->ways, pc) : ways_find(code->ways, pc);
	if (code->index != WAYS_NONE)
		code->store_size = ways_at(code->ways, code->index)->store.size;
	return true;
}

static void code_close(struct code_at *code)
{
	ways_free(code->ways);
	scope_close(&code->scope);
}

static void names_from_code(const struct site *site, struct code_at *code, struct names_found *found, int64_t from,
			    uint64_t size)
{
	struct evaluation e = {.info = site->info,
			       .ways = code->ways,
			       .scope = &code->scope,
			       .words = &site->words,
			       .arena = site->arena};

	if (code->index == WAYS_NONE)
		return;
	const struct ways_insn *insn = ways_at(code->ways, code->index);
	e.use = insn->at;
	if (site->called && call_reaches_copier(site, insn))
		names_of_argument(found, &e, code->index, &site->copier);
	else if (!site->called && insn->store.size)
		names_of_operand(found, &e, code->index, from, size);
}

/* ---- sites ---- */

static void variable_set(const struct site *site, const struct path *path, struct variable *v)
{
	*v = (struct variable){.text = arena_copy(site->arena, path->text, strlen(path->text)),
			       .offset = path->offset,
			       .size = path->size};
	if (*path->type && path->member)
		v->type = arena_copy(site->arena, path->type, strlen(path->type));
}

/* A name that leads through other pointers was right when these were loaded, and they may have changed since.  The
 * source then has a better one, if both mean the same member. */
static void path_prefer_source(struct path *path, const char *text)
{
	if (!path->member || !path->through_memory || path->rank != PATH_MEMBER)
		return;
	size_t length = strlen(path->member), all = strlen(text);
	if (all > length && !strcmp(text + all - length, path->member) && !word_char(text[all - length - 1]))
		memcpy(path->text, text, all + 1);
}

/* The name in the source, if the store fits into it: compilers merge the stores of several statements, and place the
 * result at one of them. */
static bool variable_from_source(const struct site *site, const struct code_at *code, const char *text,
				 struct variable *v)
{
	struct text_type found;
	char type[PATH_TEXT_MAX];
	bool typed = text_type(&code->scope, text, &found);
	uint64_t size = typed ? type_size(&found.type) : 0;

	if (!site->called && code->store_size > (size ? size : WORD_BYTES))
		return false;
	*v = (struct variable){.text = arena_copy(site->arena, text, strlen(text)), .size = size};
	if (typed && found.member && type_name(&found.holder, type, sizeof(type))) {
		v->type = arena_copy(site->arena, type, strlen(type));
		v->offset = found.offset;
	}
	return true;
}

static bool site_name(struct site *site, int64_t from, uint64_t size, struct variable *v)
{
	struct names_found found = {0};
	struct code_at code;
	char text[PATH_TEXT_MAX];

	if (!code_open(site, &code))
		return false;
	site->frame_count = debuginfo_lookup(site->info, site->offset - site->called, site->frames);
	site_read_words(site);
	names_from_code(site, &code, &found, from, size);
	bool source = !size && name_from_source(site, text, sizeof(text));
	bool named = found.any && !found.contrary;
	if (named) {
		if (source)
			path_prefer_source(&found.best, text);
		variable_set(site, &found.best, v);
	} else {
		named = source && variable_from_source(site, &code, text, v);
	}
	code_close(&code);
	return named;
}

/* ---- contexts ---- */

/* The outermost function at a place of the code. */
static const struct symbols_frame *context_frame(struct symbols *symbols, const struct trace *trace,
						 const struct trace_context *c, bool caller)
{
	const struct symbols_frame *frames;
	size_t count = symbols_lookup(symbols, trace_module(trace, c->module), c->offset, caller, &frames);

	return &frames[count - 1];
}

/* Go from a store inside of a library to the call of the library. */
static bool context_leave_library(struct symbols *symbols, const struct trace *trace, const struct trace_context **at,
				  const char **copier)
{
	const struct trace_context *c = *at;
	bool caller = false;

	for (*copier = NULL; c; c = trace_context(trace, c->parent), caller = true) {
		const struct symbols_frame *frame = context_frame(symbols, trace, c, caller);
		struct copier ignored;
		bool copies = frame->function && copier_find(frame->function, &ignored);

		if (!copies && library_kind(frame->module) == LIBRARY_NONE)
			break;
		*copier = copies ? frame->function : NULL;
	}
	*at = c;
	return c && (!caller || *copier);
}

bool variable_find_at(struct symbols *symbols, const struct trace_module *module, uint64_t offset, const char *copier,
		      int64_t from, uint64_t size, struct arena *arena, struct variable *v)
{
	struct site site = {.info = symbols_debuginfo(symbols, module),
			    .module = module,
			    .offset = offset,
			    .called = copier,
			    .arena = arena};

	if (!site.info || (copier && (!copier_find(copier, &site.copier) || !offset)))
		return false;
	site.sources = sources_new();
	bool found = site_name(&site, from, size, v);
	sources_free(site.sources);
	return found;
}

bool variable_find(struct symbols *symbols, const struct trace *trace, uint32_t context, int64_t from, uint64_t size,
		   struct arena *arena, struct variable *v)
{
	const struct trace_context *c = trace_context(trace, context);
	const char *copier;

	if (!context_leave_library(symbols, trace, &c, &copier))
		return false;
	const struct trace_module *module = trace_module(trace, c->module);
	return module && variable_find_at(symbols, module, c->offset, copier, from, size, arena, v);
}
