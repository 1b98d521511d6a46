/* SPDX-License-Identifier: GPL-2.0-or-later */
/* patterns.h - the state of the detector `patterns`, shared by its source files.  patterns.c describes the detector. */
#ifndef BLACKOUT_DETECT_PATTERNS_H
#define BLACKOUT_DETECT_PATTERNS_H

#include "base/vec.h"
#include "detect/patterns_notes.h"
#include "detect/sink.h"
#include "model/model.h"

/* State of one thread.  An event number or context of 0 means "not yet". */
struct thread_note {
	uint64_t any_fence_event; /* last fence, including locked instructions */
	uint64_t fence_event;     /* last sfence or mfence */
	uint32_t fence_context;
	uint32_t locked_context; /* the first locked instruction since then that had something to complete */
	unsigned flushes;        /* since the last fence of any kind; includes flushes of volatile memory */
	unsigned direct;         /* non-temporal stores since then, including those that change nothing */
	uint64_t flush_event;    /* the last flush */
};

struct patterns {
	struct model *model;
	struct sink *sink;
	struct notes notes;
	uint64_t number; /* of the current event */
	VEC_OF(struct thread_note) threads;
	unsigned threads_alive;
	bool several_processes;
	bool synced;          /* msync or fsync wrote something back */
	bool stepwise;        /* the target flushes, stores non-temporally, or stores again after a sync */
	bool left;            /* at least one store was never written back */
	bool ended;           /* the target ended normally, so leftovers at the end of the trace are final */
	struct sighting held; /* the sighting whose units are being joined; event 0: none */
};

struct thread_note *patterns_thread_new(struct patterns *p, uint32_t thread);

static inline struct thread_note *patterns_thread(struct patterns *p, uint32_t thread)
{
	return thread < p->threads.count ? &p->threads.at[thread] : patterns_thread_new(p, thread);
}

void sighting_relate(struct sighting *sighting, enum related_role role, uint32_t context);

/* Reports a unit of a store.  Consecutive units of one store with the same verdict become one sighting. */
void patterns_report_unit(struct patterns *p, const struct sighting *sighting);
void patterns_release_held(struct patterns *p);

static inline void patterns_flush_held(struct patterns *p)
{
	if (p->held.event)
		patterns_release_held(p);
}

/* The model calls this for each leftover unit. */
void patterns_leftover(void *arg, const struct event *by, const struct unit *unit);

#endif
