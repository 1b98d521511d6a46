/* SPDX-License-Identifier: GPL-2.0-or-later */
/* model.h - what may be on media if the power fails now?
 *
 *     struct model *m = model_new(platform_find("adr"), MODEL_STATES, &observer, arg);
 *     while (trace_next(t, &ev, &err) > 0)
 *             model_apply(m, &ev);                     // tells the observer what the event did
 *     model_end(m);                                    // and which stores were never persisted
 *     model_free(m);
 *
 * The model follows a trace and keeps, at each point of it, the pending stores: those that a crash may lose or keep.
 * Every store that is not pending is certain, that is, on media no matter what happens.  The platform defines the rules
 * (adr.c, eadr.c); doc/MODEL.md explains them.
 *
 * A store is cut into units of at most 8 bytes in one aligned word.  A unit is on media as a whole or not at all.  A
 * unit is silent if the file already holds its bytes: then it does not become pending and overwrites nothing.
 *
 * The bytes of a crash state are the certain bytes and those of the persisted units; each byte comes from the latest
 * unit on it.  Files should be announced by EVENT_FILE.  A file that was not announced is taken to have no end and to
 * hold zeros. */
#ifndef BLACKOUT_MODEL_MODEL_H
#define BLACKOUT_MODEL_MODEL_H

#include <gmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/trace.h"

struct model;

/* A persistency platform; platform.h defines it. */
struct platform;

/* X(name): the struct is platform_NAME */
#define PLATFORMS(X) X(adr) X(eadr)
#define PLATFORM_BAR(name) "|" #name /* for PLATFORMS(PLATFORM_BAR): "|adr|eadr" */

const struct platform *platform_find(const char *name); /* NULL if there is no such name */
const struct platform *platform_at(size_t index);       /* NULL past the last one */
const char *platform_name(const struct platform *platform);
bool platform_keeps_caches(const struct platform *platform); /* a crash loses nothing that is in a cache */

enum unit_kind {
	UNIT_CACHED,  /* stored through the cache */
	UNIT_DIRECT,  /* stored non-temporally: needs a fence, no flush */
	UNIT_WRITTEN, /* written by write(2) and similar calls: needs fsync or msync */
};

enum unit_cover {
	UNIT_BARE,    /* not flushed yet; DIRECT and WRITTEN units stay so */
	UNIT_FLUSHED, /* covered by a flush; the fence of the flushing thread is missing */
	UNIT_ORDERED, /* covered by a CLFLUSH: precedes everything stored later, and needs no fence */
};

struct unit {
	uint64_t event;       /* number of the storing event; model_apply counts events from 1, as dump does */
	uint64_t flush_event; /* number of the first flush that covered it; 0 while it is bare */
	uint64_t offset;      /* in the file */
	uint8_t value[8];     /* the first `size` bytes are valid */
	uint32_t file;
	uint32_t context;       /* of the store */
	uint32_t thread;        /* of the store */
	uint32_t flush_context; /* of the first flush */
	uint8_t size;           /* 1 to 8 */
	uint8_t kind;           /* enum unit_kind */
	uint8_t cover;          /* enum unit_cover */
	uint8_t store;          /* enum bo_store_kind; PLAIN for WRITTEN units */
	uint8_t flush_from;     /* the byte of the line that the flush named; undefined while the unit is bare */
};

/* The effect of a flush.  Reported for each CLFLUSH, CLFLUSHOPT and CLWB, also of volatile memory. */
struct flush_effect {
	bool volatile_address; /* not in a PM file: all fields below are 0 */
	bool pointless;        /* flushes do nothing on this platform */
	/* Units or silent stores that no flush had written back since they were stored. */
	unsigned newly_covered;
	/* Pending units that this thread's next fence completes only because of this flush.  May be more than
	 * newly_covered if another thread has flushed the line and not fenced. */
	unsigned covered_for_thread;
	/* An earlier flush, after the last store to the line, has written it back or will do so: */
	bool line_was_flushed;
	uint32_t earlier_flush_context;
	uint32_t earlier_flush_thread;
	uint64_t earlier_flush_addr_offset; /* the exact file offset that it named */
	bool earlier_flush_pending;         /* the units that it covered are not certain yet */
	/* The last store to the line, of any kind, silent or not; context 0 if unknown. */
	uint64_t last_store_offset;
	uint32_t last_store_size;
	uint32_t last_store_context;
};

/* The effect of a fence.  Reported for each SFENCE, MFENCE and LOCKED event, and for each STORE of kind LOCKED (before
 * its own units are stored). */
struct fence_effect {
	/* Distinct PM lines whose write-back by this thread it completes (CLFLUSH included). */
	unsigned flushes_completed;
	unsigned direct_completed; /* non-temporal units of this thread */
	unsigned volatile_flushes; /* flushes outside PM by this thread since its previous fence */
	unsigned idle_flushes;     /* flushes of PM by this thread since then that had nothing to write back */
	uint64_t written_since;    /* PM stores of any thread since then */
	/* Contexts of the flushes of the completed lines, sorted by first flush; 0 if none. */
	uint32_t first_flush_context, last_flush_context;
	/* The number of distinct contexts, counting the last flush of each of these lines. */
	unsigned distinct_flush_contexts;
};

/* Callbacks; any of them may be NULL.  Events, units and effects are valid only during the call.  The units that an
 * event makes certain are reported before the flush or fence itself. */
struct model_observer {
	/* `ev`, a STORE, changes bytes of `old`, which is pending (CACHED or DIRECT, never WRITTEN).  Called for each
	 * such pair of units. */
	void (*overwrite)(void *arg, const struct event *ev, const struct unit *old);
	void (*flush)(void *arg, const struct event *ev, const struct flush_effect *effect);
	void (*fence)(void *arg, const struct event *ev, const struct fence_effect *effect);
	/* `unit` becomes certain by event `by`: a fence or a synchronization.  On eADR it is the store itself, or the
	 * event after it (NULL: the end of the trace). */
	void (*persist)(void *arg, const struct event *by, const struct unit *unit);
	/* Like persist, but called only once for all units that one store left on one line.  `common` has the fields
	 * that the units share, and the offset of the line; `bytes` is a bit mask of their bytes in the line. */
	void (*persist_line)(void *arg, const struct event *by, const struct unit *common, uint64_t bytes);
	/* `unit` is still pending, but nothing can make it certain any more: `by` unmapped its file for good, or is
	 * NULL at the end of the trace.  Called once for each unit.  Not called for units of files that have no name
	 * left, for units that are completely overwritten by later ones, and for units that are UNIT_ORDERED (they
	 * reach media by themselves). */
	void (*leftover)(void *arg, const struct event *by, const struct unit *unit);
};

enum model_depth {
	MODEL_STATES, /* the full model */
	/* Units that are completely overwritten are forgotten, and WRITTEN units are not kept at all, so that memory is
	 * bounded by the number of dirty bytes.  This is enough for the observer, which no longer hears of those units.
	 * The functions on sets of states must not be called. */
	MODEL_VISIBLE,
};

/* Create a model for the start of a trace.  `observer` may be NULL; otherwise it must live as long as the model. */
struct model *model_new(const struct platform *platform, enum model_depth depth, const struct model_observer *observer,
			void *arg);
void model_free(struct model *model);

/* Apply the next event of the trace. */
void model_apply(struct model *model, const struct event *ev);

/* The trace has ended: report leftovers.  No event may be applied afterwards. */
void model_end(struct model *model);

uint64_t model_events(const struct model *model); /* number of events applied so far */

/* Return the units that are pending now, sorted by the sequence of the stores.  The model owns the array; it is valid
 * until the next model_ call that is not const. */
const struct unit *const *model_pending(struct model *model, size_t *count);
size_t model_pending_count(const struct model *model);

/* Sets: which pending units may be on media, in addition to everything certain, if the power fails now.  A set is an
 * array of flags, one for each unit of model_pending.  Only for depth MODEL_STATES. */

/* Count the sets exactly.  The time is about linear in the number of pending units, however large the result is. */
void model_count(struct model *model, mpz_t count);

/* Is this a possible set? */
bool model_allows(struct model *model, const bool *persisted);

/* The current state of a cache line, for drawings: its units counted by kind and cover. */
struct line_state {
	unsigned bare, flushed, ordered; /* cached units, by cover */
	unsigned direct, written;
};

void model_line(const struct model *model, uint32_t file, uint64_t offset, struct line_state *state);

/* Return the number of pending units on a line.  *mixed: some of them are not cached.  If all are cached, they become
 * certain in the sequence in which they were stored. */
size_t model_line_units(const struct model *model, uint32_t file, uint64_t offset, bool *mixed);

#endif
