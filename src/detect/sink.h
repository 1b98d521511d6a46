/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sink.h - where detectors drop what they see: counted at once, named later.
 *
 *     struct sink *sink = sink_new("patterns", "adr");
 *     sink_report(sink, &(struct sighting){.kind = KIND_MISSING_FLUSH, .variant = VARIANT_MISSING_FLUSH_LINE, ...});
 *     ... findings_collect(&sink, 1, ...), see finding/finding.h
 *     sink_free(sink);
 *
 * A detector may see the same mistake millions of times: a sighting costs one look into a small hash table, keyed by
 * (kind, variant, context, related contexts).  No symbols are asked here, and nothing is kept but a count and three
 * examples. */
#ifndef BLACKOUT_DETECT_SINK_H
#define BLACKOUT_DETECT_SINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "finding/kind.h"

#define SIGHTING_RELATED_MAX 3

struct sighting {
	enum finding_kind kind;
	uint32_t context; /* where it is: a store, flush or fence */
	struct {
		enum related_role role;
		uint32_t context;
	} related[SIGHTING_RELATED_MAX];
	unsigned related_count;
	uint32_t file; /* PM place; 0: none */
	uint64_t offset;
	uint32_t size;
	uint64_t event;   /* number of the event, delivered ones counted from 1: #SEQ of dump */
	unsigned variant; /* enum finding_variant, one of this kind */
};

/* One of the places in PM where something was seen. */
struct sighting_example {
	uint32_t file;
	uint32_t size;
	uint64_t offset;
	uint64_t event;
};

/* All sightings of one key. */
struct sink_entry {
	struct sighting first; /* the key, and the first example */
	struct sighting_example last;
	struct sighting_example largest; /* the first of the largest size */
	uint64_t count;
};

struct sink;

/* `detector` and `platform` are names that outlive the sink. */
struct sink *sink_new(const char *detector, const char *platform);
void sink_free(struct sink *sink);

void sink_report(struct sink *sink, const struct sighting *sighting);

/* What became of everything that the code of one context did.  A store counts once, however many units it is cut into;
 * one that changes nothing does not count. */
struct sink_site {
	uint32_t context;
	/* Stores.  A context of a flush, or synchronisation, that persisted one of them; 0: none did. */
	uint32_t flush;
	uint32_t prompt;      /* the same, without another fence of the storing thread between store and flush */
	bool flushed;         /* one was persisted by a flush, not by msync or fsync */
	bool meant;           /* by a flush that may have named its bytes, and not only a neighbour's */
	uint64_t persisted;   /* stores that became persistent, */
	uint64_t overwritten; /* that were overwritten with another value before anything wrote them back, */
	uint64_t left;        /* that were not written back when the program ended, or unmapped the file */
	/* Flushes and fences: how often they had something to do. */
	uint64_t needed;
	bool fence; /* it is a fence */
};

/* To be told once for each context, after the last event.  Whether two contexts are the same code is decided by those
 * who know source lines (finding/evidence.h). */
void sink_tell(struct sink *sink, const struct sink_site *site);
const struct sink_site *sink_sites(const struct sink *sink, size_t *count);

/* Nothing was flushed in the whole run, and whatever was written back was so by a sync (msync, fsync) after the last
 * store.  Such a program wants its data to outlive its end, not a crash. */
void sink_at_end(struct sink *sink);
bool sink_is_at_end(const struct sink *sink);

/* Replace the judgement of the entry at `index`.  Nothing may be reported after this. */
void sink_rejudge(struct sink *sink, size_t index, const struct sighting *judged);

/* What was seen, in the order of first sightings. */
size_t sink_count(const struct sink *sink);
const struct sink_entry *sink_at(const struct sink *sink, size_t index);
const char *sink_detector(const struct sink *sink);
const char *sink_platform(const struct sink *sink);

#endif
