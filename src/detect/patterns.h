/* SPDX-License-Identifier: GPL-2.0-or-later */
/* patterns.h - the state of the detector `patterns`, shared by its files.  See patterns.c for what it does. */
#ifndef BLACKOUT_DETECT_PATTERNS_H
#define BLACKOUT_DETECT_PATTERNS_H

#include "base/vec.h"
#include "detect/patterns_notes.h"
#include "detect/sink.h"
#include "model/model.h"

/* Numbers of events, and contexts; 0: not yet. */
struct thread_note {
	uint64_t any_fence_event; /* last fence, locked instructions included */
	uint64_t fence_event;     /* last sfence or mfence */
	uint32_t fence_context;
	uint32_t locked_context; /* the first locked instruction that has done the work of a fence since then */
	unsigned flushes;        /* since the last fence of any kind, also of volatile memory */
	unsigned direct;         /* non-temporal stores since then, silent ones too */
	uint64_t flush_event;    /* the last of them */
};

struct patterns {
	struct model *model;
	struct sink *sink;
	struct notes notes;
	uint64_t number; /* of the event that is being looked at */
	VEC_OF(struct thread_note) threads;
	unsigned threads_alive;
	bool several_processes;
	bool synced;   /* something was written back by msync or fsync */
	bool stepwise; /* it flushes, or stores on after a sync */
	bool left;     /* something was never written back */
	bool ended;    /* the target came to an end by itself: what is left at the end of the trace is left for good */
	struct sighting held; /* of units, being joined; event 0: none */
};

struct thread_note *patterns_thread_new(struct patterns *p, uint32_t thread);

static inline struct thread_note *patterns_thread(struct patterns *p, uint32_t thread)
{
	return thread < p->threads.count ? &p->threads.at[thread] : patterns_thread_new(p, thread);
}

void sighting_relate(struct sighting *sighting, enum related_role role, uint32_t context);

/* Report a unit of a store; the units of one store that are in the same case become one sighting. */
void patterns_report_unit(struct patterns *p, const struct sighting *sighting);
void patterns_release_held(struct patterns *p);

static inline void patterns_flush_held(struct patterns *p)
{
	if (p->held.event)
		patterns_release_held(p);
}

/* The model's observer of leftovers. */
void patterns_leftover(void *arg, const struct event *by, const struct unit *unit);

#endif
