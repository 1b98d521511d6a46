/* SPDX-License-Identifier: GPL-2.0-or-later */
/* recorded_path.c - see recorded_path.h. */
#include "path/recorded_path.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "trace/trace.h"

struct reading {
	struct recorded_path *path;
	struct trace *trace;
	struct map modifying; /* contexts that are in path->modifying */
};

void recorded_path_free(struct recorded_path *path)
{
	expressions_free(path->x);
	vec_free(&path->modules);
	vec_free(&path->contexts);
	vec_free(&path->branches);
	vec_free(&path->reads);
	vec_free(&path->modifying);
	vec_free(&path->concrete);
	arena_free(&path->texts);
	*path = (struct recorded_path){0};
}

static void take_branch(struct reading *r, const struct event *ev)
{
	struct recorded_branch branch = {
		.kind = (enum bo_branch)ev->flags,
		.expression = ev->expression,
		.value = ev->value,
		.context = ev->context,
		.site = code_place(r->trace, ev->context),
		.other = {.module = ev->module, .offset = ev->offset},
	};

	vec_push(&r->path->branches, branch);
}

static void take_read(struct reading *r, const struct event *ev)
{
	struct recorded_read read = {.source = ev->source, .offset = ev->offset, .asked = ev->value, .got = ev->size};

	vec_push(&r->path->reads, read);
}

static void take_modifying(struct reading *r, uint32_t context)
{
	uint64_t *known = map_put(&r->modifying, context, 0);

	if (!*known)
		vec_push(&r->path->modifying, context);
	*known = 1;
}

static void take(struct reading *r, const struct event *ev)
{
	switch (ev->type) {
	case EVENT_BRANCH: take_branch(r, ev); break;
	case EVENT_INPUT: take_read(r, ev); break;
	case EVENT_STORE:
	case EVENT_CLFLUSH:
	case EVENT_CLFLUSHOPT:
	case EVENT_CLWB:
		if (ev->file)
			take_modifying(r, ev->context);
		break;
	case EVENT_SFENCE:
	case EVENT_MFENCE:
	case EVENT_MSYNC: take_modifying(r, ev->context); break;
	default: break;
	}
}

static const char *text_keep(struct recorded_path *path, const char *text)
{
	return arena_copy(&path->texts, text, strlen(text));
}

static void modules_take(struct recorded_path *path, const struct trace *trace)
{
	for (uint32_t id = 1; id <= trace_module_count(trace); id++) {
		const struct trace_module *module = trace_module(trace, id);

		vec_push(&path->modules, text_keep(path, module ? module->path : ""));
	}
}

static void contexts_take(struct recorded_path *path, const struct trace *trace)
{
	for (uint32_t id = 0; id <= trace_context_count(trace); id++) {
		const struct trace_context *from = id ? trace_context(trace, id) : NULL;
		struct recorded_context context = {0};

		if (from)
			context = (struct recorded_context){
				.parent = trace_context_parent(trace, id),
				.place = {.module = from->module, .offset = from->offset},
			};
		vec_push(&path->contexts, context);
	}
}

/* NULL: the key is about something else. */
static const char *concrete_operation(const char *key)
{
	const size_t prefix = strlen(BO_META_CONCRETE), digits = strspn(key, "0123456789");

	if (digits && key[digits] == '/') /* of a followed process */
		key += digits + 1;
	return strncmp(key, BO_META_CONCRETE, prefix) ? NULL : key + prefix;
}

static int concrete_compare(const void *a, const void *b)
{
	const struct recorded_concrete *left = a, *right = b;

	return strcmp(left->operation, right->operation);
}

/* One entry for each operation, whichever process counted. */
static void concrete_join(struct recorded_path *path)
{
	size_t kept = 0;

	if (path->concrete.count)
		qsort(path->concrete.at, path->concrete.count, sizeof(*path->concrete.at), concrete_compare);
	for (size_t i = 0; i < path->concrete.count; i++) {
		if (kept && !strcmp(path->concrete.at[kept - 1].operation, path->concrete.at[i].operation))
			path->concrete.at[kept - 1].count += path->concrete.at[i].count;
		else
			path->concrete.at[kept++] = path->concrete.at[i];
	}
	path->concrete.count = kept;
}

static void concrete_take(struct recorded_path *path, const struct trace *trace)
{
	const char *key, *value;

	for (size_t i = 0; (key = trace_meta_at(trace, i, &value)); i++) {
		const char *operation = concrete_operation(key);

		if (operation)
			vec_push(&path->concrete,
				 ((struct recorded_concrete){text_keep(path, operation), strtoull(value, NULL, 10)}));
	}
	concrete_join(path);
}

int recorded_path_read(struct recorded_path *path, const char *dir, struct err *err)
{
	struct reading r = {.path = path};
	struct event ev;
	int more;

	*path = (struct recorded_path){0};
	if (trace_open(&r.trace, dir, err) < 0)
		return -1;
	while ((more = trace_next(r.trace, &ev, err)) > 0)
		take(&r, &ev);
	modules_take(path, r.trace);
	contexts_take(path, r.trace);
	concrete_take(path, r.trace);
	path->x = trace_take_expressions(r.trace);
	trace_close(r.trace);
	map_free(&r.modifying);
	if (more < 0)
		recorded_path_free(path);
	return more;
}

size_t recorded_path_stack(const struct recorded_path *path, uint32_t context, struct recorded_place *stack,
			   size_t room)
{
	size_t count = 0;

	for (; context && count < room; context = path->contexts.at[context].parent)
		stack[count++] = path->contexts.at[context].place;
	return count;
}
