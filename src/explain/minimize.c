/* SPDX-License-Identifier: GPL-2.0-or-later */
/* minimize.c - see minimize.h.
 *
 * A unit can be on media only if the earlier cached units of its line are, and the units that a CLFLUSH ordered before
 * it.  The model does not say when that CLFLUSH was executed, so all ordered units stored before the unit are added,
 * but only if the model rejects the set without them. */
#include "explain/minimize.h"

#include <stdlib.h>
#include <string.h>

#include "base/line.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/vec.h"

struct minimize {
	struct model *model;
	const struct unit *const *units;
	size_t count;
	size_t *line;     /* of each unit: an index of `latest` */
	uint64_t *latest; /* by line: event of the latest unit on media, while a set is completed */
	size_t lines;
	bool *best, *tried;
	bool kept;             /* minimize the persisted stores, not the lost ones */
	uint64_t from;         /* event of the first store to try */
	bool tear;             /* stores may be partly on media */
	VEC_OF(size_t) stores; /* first unit of each store to try; ends with `count` */
	unsigned left;
	minimize_fails *fails;
	void *arg;
};

static void minimize_init(struct minimize *m, struct model *model)
{
	struct map lines = {0};

	*m = (struct minimize){.model = model};
	m->units = model_pending(model, &m->count);
	m->line = mem_alloc((m->count + 1) * sizeof(*m->line));
	m->tried = mem_alloc(m->count + 1);
	for (size_t i = 0; i < m->count; i++) {
		uint64_t *index = map_put(&lines, m->units[i]->file, m->units[i]->offset / LINE_BYTES);

		if (!*index)
			*index = ++m->lines;
		m->line[i] = *index - 1;
	}
	m->latest = mem_alloc((m->lines + 1) * sizeof(*m->latest));
	map_free(&lines);
}

static void minimize_free(struct minimize *m)
{
	vec_free(&m->stores);
	free(m->line);
	free(m->latest);
	free(m->tried);
}

/* Add the units that precede a persisted cached unit in its line. */
static void complete_lines(struct minimize *m, bool *persisted)
{
	memset(m->latest, 0, m->lines * sizeof(*m->latest));
	for (size_t i = m->count; i-- > 0;) {
		uint64_t *latest = &m->latest[m->line[i]];

		if (m->units[i]->kind != UNIT_CACHED)
			continue;
		if (m->units[i]->event < *latest)
			persisted[i] = true;
		else if (persisted[i])
			*latest = m->units[i]->event;
	}
}

/* If one unit of a store has the flag `wanted`, give it to all units of the store.  True if that changed anything. */
static bool stores_unite(const struct minimize *m, bool *persisted, bool wanted)
{
	bool changed = false;

	for (size_t i = 0, next; i < m->count; i = next) {
		bool any = false, all = true;

		for (next = i; next < m->count && m->units[next]->event == m->units[i]->event; next++) {
			any |= persisted[next] == wanted;
			all &= persisted[next] == wanted;
		}
		if (!any || all)
			continue;
		changed = true;
		for (size_t k = i; k < next; k++)
			persisted[k] = wanted;
	}
	return changed;
}

/* Stores are persisted as a whole, so that it is clear which ones are lost.  Torn stores are tried separately. */
static void complete_stores(struct minimize *m, bool *persisted)
{
	do {
		complete_lines(m, persisted);
	} while (!m->tear && stores_unite(m, persisted, true));
}

/* Add all ordered units stored before a persisted unit. */
static void complete_orders(const struct minimize *m, bool *persisted)
{
	bool later = false;

	for (size_t i = m->count; i-- > 0;) {
		if (later && m->units[i]->cover == UNIT_ORDERED)
			persisted[i] = true;
		later |= persisted[i];
	}
}

/* Add units until the set is legal.  False if that does not succeed. */
static bool legalise(struct minimize *m, bool *persisted)
{
	complete_stores(m, persisted);
	if (model_allows(m->model, persisted))
		return true;
	complete_orders(m, persisted);
	complete_stores(m, persisted);
	return model_allows(m->model, persisted);
}

/* Remove the units that follow a lost cached unit in its line. */
static void spread_lines(struct minimize *m, bool *persisted)
{
	memset(m->latest, 0, m->lines * sizeof(*m->latest));
	for (size_t i = 0; i < m->count; i++) {
		uint64_t *first = &m->latest[m->line[i]];

		if (m->units[i]->kind != UNIT_CACHED)
			continue;
		if (*first && m->units[i]->event > *first)
			persisted[i] = false;
		else if (!persisted[i] && !*first)
			*first = m->units[i]->event;
	}
}

static bool spread(struct minimize *m, bool *persisted)
{
	do {
		spread_lines(m, persisted);
	} while (!m->tear && stores_unite(m, persisted, false));
	return model_allows(m->model, persisted);
}

bool minimize_spread(struct model *model, bool *persisted)
{
	struct minimize m;
	bool legal;

	minimize_init(&m, model);
	legal = spread(&m, persisted);
	minimize_free(&m);
	return legal;
}

/* List the stores with a lost unit or, if `kept`, with a persisted unit. */
static void stores_list(struct minimize *m)
{
	uint64_t event = 0;

	m->stores.count = 0;
	for (size_t i = 0; i < m->count; i++) {
		if (m->best[i] != m->kept || m->units[i]->event == event || m->units[i]->event < m->from)
			continue;
		event = m->units[i]->event;
		vec_push(&m->stores, i);
	}
	vec_push(&m->stores, m->count);
}

/* Put the stores [from, to) of the list on media or, if `kept`, lose them.  1: recovery still fails, and this set is
 * now the best. */
static int stores_try(struct minimize *m, size_t from, size_t to)
{
	int failed;

	memcpy(m->tried, m->best, m->count);
	for (size_t i = m->stores.at[from]; i < m->stores.at[to]; i++)
		m->tried[i] = !m->kept;
	if (!(m->kept ? spread(m, m->tried) : legalise(m, m->tried)) || !m->left)
		return 0;
	if (!m->kept && !memchr(m->tried, 0, m->count))
		return 0;
	m->left--;
	failed = m->fails(m->arg, m->tried);
	if (failed > 0)
		memcpy(m->best, m->tried, m->count);
	return failed;
}

/* Try the listed stores, `chunk` at a time, latest first: recovery is least likely to need the latest stores.  1 if a
 * chunk could be dropped. */
static int stores_pass(struct minimize *m, size_t chunk)
{
	int any = 0, failed;

	stores_list(m);
	for (size_t to = m->stores.count - 1; to > 0; to = to > chunk ? to - chunk : 0) {
		failed = stores_try(m, to > chunk ? to - chunk : 0, to);
		if (failed < 0)
			return failed;
		any |= failed;
	}
	return any;
}

/* Is a store partly on media? */
static bool is_torn(const struct minimize *m)
{
	for (size_t i = 1; i < m->count; i++)
		if (m->units[i]->event == m->units[i - 1]->event && m->best[i] != m->best[i - 1])
			return true;
	return false;
}

static int minimize_passes(struct minimize *m)
{
	int any = 0;

	stores_list(m);
	for (size_t chunk = m->kept ? m->stores.count - 1 : m->stores.count / 2; chunk > 0 && any >= 0;
	     chunk = chunk > 1 ? (chunk + 1) / 2 : any == 1) {
		any = stores_pass(m, chunk);
		if (!m->left)
			break;
	}
	return any < 0 ? any : 0;
}

/* Torn stores are allowed only if the set requires one. */
static int minimize(struct model *model, bool *persisted, bool kept, uint64_t from, unsigned *left,
		    minimize_fails *fails, void *arg)
{
	struct minimize m;
	int r;

	minimize_init(&m, model);
	m.best = persisted;
	m.kept = kept;
	m.from = from;
	m.left = *left;
	m.fails = fails;
	m.arg = arg;
	m.tear = kept && is_torn(&m);
	r = minimize_passes(&m);
	if (r == 0 && !m.tear && is_torn(&m)) {
		m.tear = true;
		r = minimize_passes(&m);
	}
	*left = m.left;
	minimize_free(&m);
	return r;
}

int minimize_lost(struct model *model, bool *persisted, unsigned *left, minimize_fails *fails, void *arg)
{
	return minimize(model, persisted, false, 0, left, fails, arg);
}

int minimize_kept(struct model *model, bool *persisted, uint64_t from, unsigned *left, minimize_fails *fails, void *arg)
{
	return minimize(model, persisted, true, from, left, fails, arg);
}
