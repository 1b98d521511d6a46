/* SPDX-License-Identifier: GPL-2.0-or-later */
/* invariants_in.h - what the files of the inference share.  Others include invariants.h.
 *
 *   tables.c      recordings, places, reads, labels and writes, each numbered
 *   learn.c       from events to facts and lifted invariants
 *   ask.c         the questions of invariants.h
 *
 * A *place* is a range of a file.  A *write* is a store site and a place.  A *fact* is that an access to a place has a
 * label: the invariants between bytes.  There are too many pairs of places to keep them all, so facts keep the label,
 * and only a place that somebody asks about is expanded into pairs. */
#ifndef BLACKOUT_INVARIANTS_INVARIANTS_IN_H
#define BLACKOUT_INVARIANTS_INVARIANTS_IN_H

#include "invariants/bytes.h"
#include "invariants/invariants.h"
#include "invariants/sites.h"

#define PLACE_BYTES_MOST BYTES_PAGE /* of what a load reads, the rest does not count */
#define FACTS_MOST 256              /* different labels that are kept of a place and rule */

/* Ids of places, reads, labels, writes and facts start at 1. */
struct place {
	uint64_t offset;
	uint32_t size, file;
	uint32_t facts[INVARIANT_ORDERINGS]; /* by rule: the latest fact about an access to it */
	uint16_t fact_counts[INVARIANT_ORDERINGS];
	uint32_t guards;  /* a read of this place that decided about a load of another; 0: none */
	uint64_t guarded; /* how many loads showed that */
	uint32_t lesson;  /* the last lesson in which it is a guardian */
	bool linked;      /* in bytes.links */
	bool read;        /* there are reads of it */
};

struct read {
	uint32_t place, load_site, branch_site;
	uint32_t number;          /* in its recording */
	const uint32_t *words[2]; /* in bytes; a read may cross a page */
	size_t word_count[2];
};

struct label {
	size_t start, count; /* in label_reads */
	bool many;
	uint64_t signature; /* of the writers of its reads, as of signed_at */
	uint64_t signed_at; /* 1 + bytes.changes; 0: never */
};

struct write {
	uint32_t site, place;
};

struct fact {
	uint32_t place, label;
	uint32_t site; /* of one such access */
	uint32_t next; /* about the same place and rule */
	uint64_t seen;
};

/* Two places that facts relate: that of an access, and that of a read of its label. */
struct pair {
	uint64_t seen;
	uint32_t read, site; /* of one such access */
};

/* What questions make: it changes though the invariants do not. */
struct answers {
	struct map expanded;     /* (rule, place) -> the latest fact of the place that was made pairs */
	struct map pair_numbers; /* (rule and place of the access, place of the read) -> 1 + index in pairs */
	VEC_OF(struct pair) pairs;
};

struct ids { /* a vec */
	uint32_t *at;
	size_t count, room;
};

struct lifted {
	struct invariant invariant;
	uint32_t lesson;        /* the last one that shows it */
	struct lifted *general; /* the same between general sites; NULL: this is it */
};

/* Invariants between sites. */
struct liftings {
	struct map numbers; /* (rule, sites) -> 1 + number */
	struct slab all;    /* struct lifted */
};

struct lessons; /* learn.c */

struct invariants {
	struct sites sites;
	struct bytes bytes;
	struct map files;            /* hash of the path -> file */
	struct map place_numbers;    /* (file, offset), size -> place */
	VEC_OF(struct place) places; /* these arrays have an unused item 0 */
	VEC_OF(struct read) reads;
	VEC_OF(struct label) labels;
	VEC_OF(uint32_t) label_reads;
	struct map write_numbers; /* (site, place) -> write */
	VEC_OF(struct write) writes;
	struct map fact_numbers; /* (rule and place, label) -> fact */
	VEC_OF(struct fact) facts;
	struct liftings lifted;
	struct liftings general;  /* between general sites: for stores that nobody reads */
	VEC_OF(uint8_t) observed; /* by site: 1: it takes part in `lifted` */
	struct lessons *lessons;  /* NULL: nothing has dependencies so far */
	uint64_t many;
	struct answers *answers;
	/* The current recording: */
	const struct trace *trace;
	unsigned recordings;                               /* that events were fed of */
	bool fed;                                          /* this is one of them */
	struct ids trace_files, trace_reads, trace_labels; /* its ids -> ours; 0: not met yet */
};

/* ---- tables.c ---- */

uint32_t tables_file(struct invariants *inv, uint32_t trace_file);
uint32_t tables_place(struct invariants *inv, uint32_t file, uint64_t offset, uint64_t size);
uint32_t tables_write(struct invariants *inv, uint32_t site, uint32_t place);
uint32_t tables_label(struct invariants *inv, uint32_t trace_label);

/* Make a place findable by its bytes. */
void tables_link(struct invariants *inv, uint32_t place);

static inline bool places_overlap(const struct place *a, const struct place *b)
{
	return a->file == b->file && a->offset < b->offset + b->size && b->offset < a->offset + a->size;
}

/* ---- learn.c ---- */

void lessons_free(struct lessons *lessons);
/* Bring the counts of lifted invariants and facts up to date. */
void lessons_settle(const struct invariants *inv);

static inline bool site_is_observed(const struct invariants *inv, uint32_t site)
{
	return site < inv->observed.count && inv->observed.at[site];
}

/* Does the invariant hold at this distance, and if so, because of the distance or of the sites? */
bool lifted_holds(const struct invariant *lifted, bool same_file, int64_t distance, enum invariant_scope *scope);

/* ---- ask.c ---- */

/* Forget the pairs, whose counts grow old as events come. */
void answers_clear(struct answers *answers);

#endif
