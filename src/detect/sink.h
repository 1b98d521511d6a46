/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sink.h - collects the sightings of a detector.  They are counted at once and named later.
 *
 *     struct sink *sink = sink_new("patterns", "adr");
 *     sink_report(sink, &(struct sighting){.kind = KIND_MISSING_FLUSH, .form = FORM_MISSING_FLUSH_LINE, ...});
 *     ... findings_collect(&sink, 1, ...), see finding/finding.h
 *     sink_free(sink);
 *
 * A detector may see the same mistake millions of times, so a sighting costs only one lookup in a small hash table.
 * The key is (kind, form, context, related contexts).  No symbols are looked up here.  The sink keeps only a
 * count and three examples for each key. */
#ifndef BLACKOUT_DETECT_SINK_H
#define BLACKOUT_DETECT_SINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "finding/kind.h"

#define SIGHTING_RELATED_MAX 3

struct sighting {
	enum finding_kind kind;
	uint32_t context; /* of the store, flush or fence that is reported */
	struct {
		enum related_role role;
		uint32_t context;
	} related[SIGHTING_RELATED_MAX];
	unsigned related_count;
	uint32_t file; /* place in PM; file 0: none */
	uint64_t offset;
	uint32_t size;
	uint64_t event; /* number of the event: delivered events count from 1, as #SEQ of dump */
	unsigned form;  /* enum finding_form; must belong to `kind` */
};

/* A place in PM where the mistake was seen. */
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
	struct sighting_example largest; /* the first example of the largest size */
	uint64_t count;
};

struct sink;

/* `detector` and `platform` must outlive the sink. */
struct sink *sink_new(const char *detector, const char *platform);
void sink_free(struct sink *sink);

void sink_report(struct sink *sink, const struct sighting *sighting);

/* The same for `times` sightings that differ only in their example. */
void sink_report_times(struct sink *sink, const struct sighting *sighting, uint64_t times);

/* The results of everything that the code of one context did.  A store counts once, even if it is split into several
 * units.  A store that changes nothing counts only as `silent`. */
struct sink_site {
	uint32_t context;
	/* Stores.  `flush` is a context that flushed or synced, and so persisted, one of them; 0: none did. */
	uint32_t flush;
	uint32_t prompt; /* the same, with no fence of the storing thread between store and flush */
	bool flushed;    /* at least one was persisted by a flush, not by msync or fsync */
	bool meant; /* at least one was persisted by a flush that may have named its bytes, not only a neighbor's */
	uint64_t persisted;   /* stores that became persistent */
	uint64_t overwritten; /* stores that were overwritten with another value before they were written back */
	uint64_t left;        /* stores that were not written back when the program ended or unmapped the file */
	uint64_t silent;      /* stores that changed nothing, and that a transaction should have covered otherwise */
	/* Flushes, fences and adds: the number of times that they had something to do. */
	uint64_t needed;
	bool fence; /* it is a fence, not a flush */
};

/* Adds the results of a context.  Call it once per context, after the last event.  finding/evidence.h knows source
 * lines, and decides which contexts are the same code. */
void sink_add_site(struct sink *sink, const struct sink_site *site);
const struct sink_site *sink_sites(const struct sink *sink, size_t *count);

/* Says that the run flushed nothing, and wrote data back only by a sync (msync, fsync) after the last store.  Such a
 * program wants its data to survive its normal end, not a crash. */
void sink_at_end(struct sink *sink);
bool sink_is_at_end(const struct sink *sink);

/* Replaces the verdict of the entry at `index`.  Do not report anything to the sink afterwards. */
void sink_rejudge(struct sink *sink, size_t index, const struct sighting *judged);

/* The collected entries, in the sequence of their first sightings. */
size_t sink_count(const struct sink *sink);
const struct sink_entry *sink_at(const struct sink *sink, size_t index);
const char *sink_detector(const struct sink *sink);
const char *sink_platform(const struct sink *sink);

#endif
