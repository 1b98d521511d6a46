/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sink.c - see sink.h.  The table is an open hash table of indices into a slab of entries.  Loops report the same
 * key repeatedly, so the last entry is tried first. */
#include "detect/sink.h"

#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/slab.h"
#include "base/vec.h"

struct sink {
	const char *detector, *platform;
	struct slab entries;
	struct sink_entry *last;
	VEC_OF(struct sink_site) sites;
	bool at_end;
	uint32_t *table; /* 1 + index of the entry; 0: free */
	size_t room;     /* slots of the table: a power of two, at most half of them used */
};

struct sink *sink_new(const char *detector, const char *platform)
{
	struct sink *sink = mem_alloc(sizeof(*sink));

	sink->detector = detector;
	sink->platform = platform;
	sink->entries = SLAB_OF(struct sink_entry);
	sink->room = 64;
	sink->table = mem_alloc(sink->room * sizeof(*sink->table));
	return sink;
}

void sink_free(struct sink *sink)
{
	if (!sink)
		return;
	slab_free(&sink->entries);
	vec_free(&sink->sites);
	free(sink->table);
	free(sink);
}

static uint64_t key_hash(const struct sighting *s)
{
	const uint64_t prime = 0x9e3779b97f4a7c15ull;
	uint64_t hash = ((uint64_t)s->form << 32 | s->context) * prime;

	for (unsigned i = 0; i < s->related_count; i++)
		hash = (hash ^ hash >> 29 ^ ((uint64_t)s->related[i].role << 32 | s->related[i].context)) * prime;
	return hash ^ hash >> 32;
}

static bool key_equal(const struct sighting *a, const struct sighting *b)
{
	if (a->form != b->form || a->context != b->context || a->related_count != b->related_count)
		return false;
	for (unsigned i = 0; i < a->related_count; i++)
		if (a->related[i].context != b->related[i].context || a->related[i].role != b->related[i].role)
			return false;
	return true;
}

static void table_insert(struct sink *sink, const struct sighting *key, uint32_t value)
{
	size_t at = key_hash(key) & (sink->room - 1);

	while (sink->table[at])
		at = (at + 1) & (sink->room - 1);
	sink->table[at] = value;
}

static void table_grow(struct sink *sink)
{
	free(sink->table);
	sink->room *= 2;
	sink->table = mem_alloc(sink->room * sizeof(*sink->table));
	for (size_t i = 0; i < sink->entries.count; i++)
		table_insert(sink, &((struct sink_entry *)slab_at(&sink->entries, i))->first, (uint32_t)i + 1);
}

static struct sink_entry *sink_find(const struct sink *sink, const struct sighting *key)
{
	for (size_t at = key_hash(key) & (sink->room - 1); sink->table[at]; at = (at + 1) & (sink->room - 1)) {
		struct sink_entry *entry = slab_at(&sink->entries, sink->table[at] - 1);

		if (key_equal(&entry->first, key))
			return entry;
	}
	return NULL;
}

static struct sink_entry *sink_add(struct sink *sink, const struct sighting *sighting)
{
	BUG_ON(sighting->related_count > SIGHTING_RELATED_MAX);
	BUG_ON(form_get((enum finding_form)sighting->form)->kind != sighting->kind);
	struct sink_entry *entry = slab_push(&sink->entries);
	entry->first = *sighting;
	if (sink->entries.count * 2 > sink->room)
		table_grow(sink);
	else
		table_insert(sink, sighting, (uint32_t)sink->entries.count);
	return entry;
}

void sink_report(struct sink *sink, const struct sighting *sighting)
{
	sink_report_times(sink, sighting, 1);
}

void sink_report_times(struct sink *sink, const struct sighting *sighting, uint64_t times)
{
	struct sink_entry *entry = sink->last;

	if (!entry || !key_equal(&entry->first, sighting)) {
		entry = sink_find(sink, sighting);
		if (!entry)
			entry = sink_add(sink, sighting);
		sink->last = entry;
	}
	entry->last = (struct sighting_example){sighting->file, sighting->size, sighting->offset, sighting->event};
	if (!entry->count || sighting->size > entry->largest.size)
		entry->largest = entry->last;
	entry->count += times;
}

void sink_add_site(struct sink *sink, const struct sink_site *site)
{
	vec_push(&sink->sites, *site);
}

const struct sink_site *sink_sites(const struct sink *sink, size_t *count)
{
	*count = sink->sites.count;
	return sink->sites.at;
}

void sink_at_end(struct sink *sink)
{
	sink->at_end = true;
}

bool sink_is_at_end(const struct sink *sink)
{
	return sink->at_end;
}

void sink_rejudge(struct sink *sink, size_t index, const struct sighting *judged)
{
	struct sink_entry *entry = slab_at(&sink->entries, index);

	BUG_ON(form_get((enum finding_form)judged->form)->kind != judged->kind);
	entry->first = *judged;
}

size_t sink_count(const struct sink *sink)
{
	return sink->entries.count;
}

const struct sink_entry *sink_at(const struct sink *sink, size_t index)
{
	return slab_at(&sink->entries, index);
}

const char *sink_detector(const struct sink *sink)
{
	return sink->detector;
}

const char *sink_platform(const struct sink *sink)
{
	return sink->platform;
}
