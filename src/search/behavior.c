/* SPDX-License-Identifier: GPL-2.0-or-later */
/* behavior.c - see behavior.h. */
#include "search/behavior.h"

#include "search/code_chains.h"
#include "trace/trace.h"

struct reading {
	struct symbols *symbols; /* or NULL */
	struct behavior *behavior;
	struct map contexts; /* those of the behavior */
	struct code_chains chains;
};

bool event_modifies_pm(const struct event *ev)
{
	switch (ev->type) {
	case EVENT_STORE:
	case EVENT_CLFLUSH:
	case EVENT_CLFLUSHOPT:
	case EVENT_CLWB: return ev->file;
	case EVENT_SFENCE:
	case EVENT_MFENCE:
	case EVENT_MSYNC: return true;
	default: return false;
	}
}

static void event_take(struct reading *r, const struct trace *trace, const struct event *ev)
{
	struct code_place hash = code_chain(&r->chains, trace, ev->context);
	uint64_t *known = map_put(&r->contexts, hash.module, hash.offset);
	const struct symbols_frame *const *ignored;

	if (*known)
		return;
	*known = 1;
	vec_push(&r->behavior->contexts, hash);
	if (r->symbols)
		symbols_stack(r->symbols, trace, ev->context, &ignored);
}

int behavior_read(struct behavior *behavior, const char *recording, struct symbols *symbols, struct err *err)
{
	struct reading r = {.behavior = behavior, .symbols = symbols};
	struct trace *trace;
	struct event ev;
	int more;

	if (trace_open(&trace, recording, err) < 0)
		return -1;
	while ((more = trace_next(trace, &ev, err)) > 0) {
		if (event_modifies_pm(&ev))
			event_take(&r, trace, &ev);
		else if (ev.type == EVENT_FILE && ev.path)
			vec_push(&behavior->files, strdup(ev.path));
	}
	trace_close(trace);
	map_free(&r.contexts);
	code_chains_free(&r.chains);
	return more;
}

void behavior_free(struct behavior *behavior)
{
	vec_free(&behavior->contexts);
	for (size_t i = 0; i < behavior->files.count; i++)
		free(behavior->files.at[i]);
	vec_free(&behavior->files);
}

size_t behavior_set_lacks(const struct behavior_set *set, const struct behavior *behavior)
{
	size_t missing = 0;

	for (size_t i = 0; i < behavior->contexts.count; i++)
		missing += !map_get(&set->contexts, behavior->contexts.at[i].module, behavior->contexts.at[i].offset);
	return missing;
}

size_t behavior_set_add(struct behavior_set *set, const struct behavior *behavior)
{
	size_t missing = behavior_set_lacks(set, behavior);

	for (size_t i = 0; i < behavior->contexts.count; i++)
		*map_put(&set->contexts, behavior->contexts.at[i].module, behavior->contexts.at[i].offset) = 1;
	return missing;
}

void behavior_set_free(struct behavior_set *set)
{
	map_free(&set->contexts);
}
