/* SPDX-License-Identifier: GPL-2.0-or-later */
/* behavior.c - see behavior.h. */
#include "search/behavior.h"

#include "base/random.h"
#include "trace/trace.h"

/* The code of a whole calling context, as one place. */
struct chain {
	struct code_place hash;
	bool known;
};

struct reading {
	struct behavior *behavior;
	struct map sites, contexts;  /* those of the behavior */
	VEC_OF(struct chain) chains; /* by context of the recording */
};

static struct code_place chain_link(struct code_place outer, struct code_place inner)
{
	return (struct code_place){
		.module = random_mix(outer.module + random_mix(inner.module + RANDOM_STEP)),
		.offset = random_mix(outer.offset * 3 + random_mix(inner.offset + outer.module)),
	};
}

/* The hash of a context: made from the outside in, and remembered. */
static struct code_place chain_hash(struct reading *r, const struct trace *trace, uint32_t context)
{
	VEC_OF(uint32_t) inner = {0};
	struct code_place hash = {0};

	while (r->chains.count <= trace_context_count(trace))
		vec_push(&r->chains, (struct chain){0});
	for (; context && !r->chains.at[context].known; context = trace_context_parent(trace, context))
		vec_push(&inner, context);
	if (context)
		hash = r->chains.at[context].hash;
	while (inner.count) {
		uint32_t next = inner.at[--inner.count];

		hash = chain_link(hash, code_place(trace, next));
		r->chains.at[next] = (struct chain){hash, true};
	}
	vec_free(&inner);
	return hash;
}

static bool modifies_pm(const struct event *ev)
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
	struct code_place site = code_place(trace, ev->context), hash = chain_hash(r, trace, ev->context);
	uint64_t *known = map_put(&r->sites, site.module, site.offset);

	if (!*known)
		vec_push(&r->behavior->sites, site);
	*known = 1;
	known = map_put(&r->contexts, hash.module, hash.offset);
	if (!*known)
		vec_push(&r->behavior->contexts, hash);
	*known = 1;
}

int behavior_read(struct behavior *behavior, const char *recording, struct err *err)
{
	struct reading r = {.behavior = behavior};
	struct trace *trace;
	struct event ev;
	int more;

	if (trace_open(&trace, recording, err) < 0)
		return -1;
	while ((more = trace_next(trace, &ev, err)) > 0) {
		if (modifies_pm(&ev))
			event_take(&r, trace, &ev);
		else if (ev.type == EVENT_FILE && ev.path)
			vec_push(&behavior->files, strdup(ev.path));
	}
	trace_close(trace);
	map_free(&r.sites);
	map_free(&r.contexts);
	vec_free(&r.chains);
	return more;
}

void behavior_free(struct behavior *behavior)
{
	vec_free(&behavior->sites);
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
	for (size_t i = 0; i < behavior->sites.count; i++)
		*map_put(&set->sites, behavior->sites.at[i].module, behavior->sites.at[i].offset) = 1;
	return missing;
}

void behavior_set_free(struct behavior_set *set)
{
	map_free(&set->sites);
	map_free(&set->contexts);
}
