/* SPDX-License-Identifier: GPL-2.0-or-later */
/* platform.h - what a platform must say, and what it may use.  To add one: write its file, with its rules in front; add
 * it to PLATFORMS.
 *
 * model.c does what is the same everywhere: it cuts stores into units, tells silent ones, follows the files, and makes
 * certain what a synchronisation makes certain.  The platform decides about the cache: when a cached unit is certain,
 * what a flush and a fence do.  Every unit is pending at first, in the order of the stores (pending.h). */
#ifndef BLACKOUT_MODEL_PLATFORM_H
#define BLACKOUT_MODEL_PLATFORM_H

#include "model/mapped.h"
#include "model/pending.h"

struct model {
	const struct platform *platform;
	enum model_depth depth;
	const struct model_observer *observer;
	void *arg;
	uint64_t number;  /* of the event being applied */
	uint64_t stores;  /* STOREs to PM so far */
	uint64_t changes; /* units stored that were not silent, and changes of the files themselves; see moments.h */
	bool ended;
	struct memory memory;
	struct pending pending;
	struct mapped mapped;
	VEC_OF(struct unit) units;        /* what model_pending returned, */
	VEC_OF(const struct unit *) view; /* and pointers to it */
	VEC_OF(uint64_t) seen_contexts;   /* by id: the last fence that saw it; see flush.c */
};

struct platform {
	const char *name;

	/* Another event begins; NULL if that means nothing. */
	void (*next)(struct model *model, const struct event *ev);
	/* All units of a store have taken effect, and are pending; NULL if that means nothing. */
	void (*stored)(struct model *model, const struct event *ev);
	/* A line of PM is flushed; NULL if nothing was ever stored to it.  What it covers is to be told through
	 * *effect. */
	void (*flush)(struct model *model, const struct event *ev, struct line *line, struct flush_effect *effect);
	/* A thread fences. */
	void (*fence)(struct model *model, const struct event *ev, struct thread *thread);
	/* Will the event make something certain that is pending, or that it stores itself?  For moments.h;
	 * synchronisation is no matter of the platform. */
	bool (*settles)(const struct model *model, const struct event *ev);
};

#define PLATFORMS(X) X(adr) X(eadr)

#define X(name) extern const struct platform platform_##name;
PLATFORMS(X)
#undef X

/* SFENCE, MFENCE, and every locked instruction. */
static inline bool event_is_fence(const struct event *ev)
{
	return ev->type == EVENT_SFENCE || ev->type == EVENT_MFENCE || ev->type == EVENT_LOCKED ||
	       (ev->type == EVENT_STORE && ev->kind == BO_STORE_LOCKED);
}

/* The node's units are on media for certain from now on; it is gone.  What that makes certain in turn is left to
 * persist_settle, which must be called before the event ends. */
void persist_node(struct model *model, const struct event *by, struct node *node);

/* The same for those of its units that are in these words, a bit each. */
void persist_units(struct model *model, const struct event *by, struct node *node, unsigned words);

/* All cached units of the line stored before `event`. */
void persist_line(struct model *model, const struct event *by, struct line *line, uint64_t event);

/* All that a thread stored non-temporally. */
void persist_direct(struct model *model, const struct event *by, struct thread *thread);

/* Whatever comes before something that is certain is certain itself. */
void persist_settle(struct model *model, const struct event *by);

#endif
