/* SPDX-License-Identifier: GPL-2.0-or-later */
/* model.h - what may be on media if the power fails now?
 *
 *     struct model *m = model_new(platform_find("adr"), MODEL_STATES, &observer, arg);
 *     while (trace_next(t, &ev, &err) > 0)
 *             model_apply(m, &ev);                     // observer is told what the event did
 *     model_end(m);                                    // and what was never made persistent
 *     model_free(m);
 *
 * The model follows a trace and keeps, at each point of it, the stores that are pending: those that a crash may lose or
 * keep.  All that was stored and is not pending is certain, that is, on media whatever happens.  The rules are those of
 * the platform (adr.c, eadr.c); doc/MODEL.md explains them.
 *
 * A store is cut into units of at most 8 bytes that lie in one aligned word: a unit is on media as a whole or not at
 * all.  A unit whose bytes are what the file holds already is silent: it makes no pending unit, and overwrites nothing.
 *
 * The bytes of a crash state are those that were certain, and those of the persisted units, each byte from the latest
 * unit on it.  Files should be announced by EVENT_FILE; one that was not is taken to have no end and to hold zeros. */
#ifndef BLACKOUT_MODEL_MODEL_H
#define BLACKOUT_MODEL_MODEL_H

#include <gmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/trace.h"

struct model;

/* A persistency platform: see platform.h for what it is made of. */
struct platform;

const struct platform *platform_find(const char *name); /* NULL if there is none of that name */
const struct platform *platform_at(size_t index);       /* NULL beyond the last */
const char *platform_name(const struct platform *platform);

enum unit_kind {
	UNIT_CACHED,  /* stored through the cache */
	UNIT_DIRECT,  /* stored non-temporally: needs a fence, no flush */
	UNIT_WRITTEN, /* by write(2) and friends: needs fsync or msync */
};

enum unit_cover {
	UNIT_BARE,    /* nobody has asked for it to be written back.  DIRECT and WRITTEN units stay so */
	UNIT_FLUSHED, /* a flush has covered it; the flushing thread's fence is missing */
	UNIT_ORDERED, /* a CLFLUSH has covered it: it comes before all that was stored later, and needs no fence */
};

struct unit {
	uint64_t event;       /* number of the storing event; model_apply counts events from 1, as dump does */
	uint64_t flush_event; /* number of the flush that covered it first; 0 while it is bare */
	uint64_t offset;      /* in the file */
	uint8_t value[8];     /* `size` bytes of it */
	uint32_t file;
	uint32_t context;       /* of the store */
	uint32_t thread;        /* that stored it */
	uint32_t flush_context; /* of that flush */
	uint8_t size;           /* 1 to 8 */
	uint8_t kind;           /* enum unit_kind */
	uint8_t cover;          /* enum unit_cover */
	uint8_t store;          /* enum bo_store_kind; PLAIN for WRITTEN ones */
	uint8_t flush_from;     /* the byte of its line that the flush named; meaningless while it is bare */
};

/* What a flush did.  Told for each CLFLUSH, CLFLUSHOPT and CLWB, also of volatile memory. */
struct flush_effect {
	bool volatile_address; /* not in a PM file: all else below is 0 */
	bool pointless;        /* flushes do nothing on this platform */
	/* Units or silent stores that this flush is the first to write back since they were stored. */
	unsigned newly_covered;
	/* Pending units that this thread's next fence completes owing to this flush alone: may be more than
	 * newly_covered where another thread has flushed the line and not fenced. */
	unsigned covered_for_thread;
	/* An earlier flush since the last store to the line has written it back, or is pending: */
	bool line_was_flushed;
	uint32_t earlier_flush_context;
	uint32_t earlier_flush_thread;
	uint64_t earlier_flush_addr_offset; /* exact offset in the file that it named */
	bool earlier_flush_pending;         /* what it covered is not certain yet */
	/* The last store to the line, of any kind, silent or not; context 0 if none is known. */
	uint64_t last_store_offset;
	uint32_t last_store_size;
	uint32_t last_store_context;
};

/* What a fence did.  Told for each SFENCE, MFENCE, LOCKED, and each STORE of kind LOCKED (before its own units are
 * stored). */
struct fence_effect {
	unsigned flushes_completed; /* distinct PM lines whose write-back by this thread it completes (CLFLUSH too) */
	unsigned direct_completed;  /* non-temporal units of this thread */
	unsigned volatile_flushes;  /* flushes outside PM by this thread since its previous fence */
	unsigned idle_flushes;      /* flushes of PM by this thread since then that found nothing to write back */
	uint64_t written_since;     /* PM stores of any thread since then */
	/* Of the lines completed, in order of their first flush; 0 if none. */
	uint32_t first_flush_context, last_flush_context;
	unsigned distinct_flush_contexts; /* among them; each line counts with its last flush */
};

/* Who wants to know.  Any of these may be NULL.  Events, units and effects are valid during the call only.  What an
 * event makes certain is told before the flush or fence itself. */
struct model_observer {
	/* `ev`, a STORE, changes bytes of `old`, which is pending (CACHED or DIRECT, never WRITTEN).  Told for each
	 * such pair of units. */
	void (*overwrite)(void *arg, const struct event *ev, const struct unit *old);
	void (*flush)(void *arg, const struct event *ev, const struct flush_effect *effect);
	void (*fence)(void *arg, const struct event *ev, const struct fence_effect *effect);
	/* `unit` is certain from `by` on: a fence, a synchronisation; on eADR the store itself, or
	 * what came after it (NULL: the end of the trace). */
	void (*persist)(void *arg, const struct event *by, const struct unit *unit);
	/* The same, for whom it is enough to be told once of all units that one store left on one line: what they have
	 * in common, with the offset of the line, and their bytes, a bit for each of the line. */
	void (*persist_line)(void *arg, const struct event *by, const struct unit *common, uint64_t bytes);
	/* `unit` is pending although nobody can make it certain any more: `by` unmapped its file for good, or is NULL
	 * at the end of the trace.  Told once for each unit, and not for: files without a name left, units that later
	 * ones have overwritten altogether, and units that are UNIT_ORDERED (they get to media by themselves). */
	void (*leftover)(void *arg, const struct event *by, const struct unit *unit);
};

enum model_depth {
	MODEL_STATES, /* all of it */
	/* Units that are overwritten altogether are forgotten, and WRITTEN ones not kept at all, so that memory is
	 * bounded by the dirty bytes.  Enough for the observer, which hears no more of those units; the sets of states
	 * may not be asked for. */
	MODEL_VISIBLE,
};

/* A model at the start of a trace: nothing is known.  `observer` may be NULL; otherwise it must live as long as the
 * model. */
struct model *model_new(const struct platform *platform, enum model_depth depth, const struct model_observer *observer,
			void *arg);
void model_free(struct model *model);

/* Let the next event of the trace take effect. */
void model_apply(struct model *model, const struct event *ev);

/* The trace has ended: tell of leftovers.  Nothing may be applied after it. */
void model_end(struct model *model);

uint64_t model_events(const struct model *model); /* applied so far */

/* What is pending now, in the order in which it was stored.  The array is the model's, valid until the next model_ call
 * that is not const. */
const struct unit *const *model_pending(struct model *model, size_t *count);
size_t model_pending_count(const struct model *model);

/* The sets of pending units that may be on media if the power fails now, besides all that is certain.  A set is an
 * array of flags, one for each unit of model_pending.  Depth MODEL_STATES only. */

/* How many there are, exactly.  Time is about linear in what is pending, however large the number. */
void model_count(struct model *model, mpz_t count);

/* Each of them once, first the empty one, last the whole one; until `visit` returns false.  False if it did. */
bool model_enumerate(struct model *model, bool (*visit)(void *arg, const bool *persisted, size_t count), void *arg);

/* Is this one of them? */
bool model_allows(struct model *model, const bool *persisted);

/* A cache line at this moment, for drawings: how many of its units are in which state. */
struct line_state {
	unsigned bare, flushed, ordered; /* cached units, by cover */
	unsigned direct, written;
};

void model_line(const struct model *model, uint32_t file, uint64_t offset, struct line_state *state);

/* How many units are pending on a line, and are there others than cached ones?  If not, they become certain in their
 * order. */
size_t model_line_units(const struct model *model, uint32_t file, uint64_t offset, bool *mixed);

#endif
