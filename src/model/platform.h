/* SPDX-License-Identifier: GPL-2.0-or-later */
/* platform.h - the interface of a platform, and the functions it may use.  To add one: write its file, starting with
 * its rules, and add it to PLATFORMS (model.h).
 *
 * model.c does everything that is the same on all platforms: it cuts stores into units, detects silent ones, follows
 * the files, and handles synchronization.  The platform decides about the cache: when a cached unit becomes certain,
 * and what a flush and a fence do.  Every unit is pending at first, in the sequence of the stores (pending.h). */
#ifndef BLACKOUT_MODEL_PLATFORM_H
#define BLACKOUT_MODEL_PLATFORM_H

#include "model/mapped.h"
#include "model/pending.h"

struct model {
	const struct platform *platform;
	enum model_depth depth;
	const struct model_observer *observer;
	void *arg;
	uint64_t number; /* of the event being applied */
	uint64_t stores; /* STOREs to PM so far */
	/* Counts stored units that were not silent, and changes of the files themselves; see moments.h. */
	uint64_t changes;
	bool ended;
	struct memory memory;
	struct pending pending;
	struct mapped mapped;
	VEC_OF(struct unit) units;        /* last result of model_pending, */
	VEC_OF(const struct unit *) view; /* and pointers to it */
	VEC_OF(uint64_t) seen_contexts;   /* by context id: the last fence that saw it; see flush.c */
};

struct platform {
	const char *name;
	bool keeps_caches; /* a crash loses nothing that is in a cache, so flushes do nothing */

	/* The next event begins; NULL if the platform does not care. */
	void (*next)(struct model *model, const struct event *ev);
	/* All units of a store have taken effect and are pending; NULL if the platform does not care. */
	void (*stored)(struct model *model, const struct event *ev);
	/* A line of PM is flushed; `line` is NULL if nothing was ever stored to it.  Report what it covers in
	 * *effect. */
	void (*flush)(struct model *model, const struct event *ev, struct line *line, struct flush_effect *effect);
	/* A thread fences. */
	void (*fence)(struct model *model, const struct event *ev, struct thread *thread);
	/* Will the event make something certain that is pending, or that it stores itself?  Used by moments.h.
	 * Synchronization is not the platform's concern. */
	bool (*settles)(const struct model *model, const struct event *ev);
};

#define X(name) extern const struct platform platform_##name;
PLATFORMS(X)
#undef X

/* SFENCE, MFENCE, and every locked instruction. */
static inline bool event_is_fence(const struct event *ev)
{
	return ev->type == EVENT_SFENCE || ev->type == EVENT_MFENCE || ev->type == EVENT_LOCKED ||
	       (ev->type == EVENT_STORE && ev->kind == BO_STORE_LOCKED);
}

/* The node's units are certain from now on, and the node is removed. persist_settle handles whatever that makes certain
 * in turn; it must be called before the event ends. */
void persist_node(struct model *model, const struct event *by, struct node *node);

/* The same for those units of the node that are in these words (a bit mask). */
void persist_units(struct model *model, const struct event *by, struct node *node, unsigned words);

/* The same for all cached units of the line stored before `event`. */
void persist_line(struct model *model, const struct event *by, struct line *line, uint64_t event);

/* The same for all non-temporal stores of a thread. */
void persist_direct(struct model *model, const struct event *by, struct thread *thread);

/* If something is certain, everything ordered before it is certain too. */
void persist_settle(struct model *model, const struct event *by);

#endif
