/* SPDX-License-Identifier: GPL-2.0-or-later */
/* segments.h - what lies between two moments of a trace (model/moments.h), and whether the same code was seen before.
 *
 *     struct segments *s = segments_new(trace_layers(trace) & BO_LAYER_CODE, 1);
 *     while (trace_next(trace, &ev, &err) > 0) {
 *             if (moments_before(&moments, model, &ev) && segments_cut(s).chosen)
 *                     ...                                     // its crash states are to be looked at
 *             segments_event(s, &ev);
 *             model_apply(model, &ev);
 *     }
 *     if (moments_before(&moments, model, NULL) && segments_cut(s).chosen) ...
 *
 * DESIGN.  A segment is known by the instructions that were executed in it, by all threads.  The recorder (--bo-code)
 * hashes the instructions of a thread, as offsets in their files, up to each of its fences; the sequence of these
 * hashes names the segment.  What was executed since a thread's last fence is not hashed yet when another thread's
 * fence, a synchronisation or the end of the trace ends the segment: the calling contexts of its stores and flushes
 * stand for it.  Which thread it was does not matter.
 *
 * That the same instructions mean the same to a crash is a guess.  What they stored where, and what was pending before,
 * may differ: a value that straddles two lines has other crash states than one that does not.  So the guess can be
 * switched off, or weakened by looking at several segments of each name. */
#ifndef BLACKOUT_DETECT_SEGMENTS_H
#define BLACKOUT_DETECT_SEGMENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/trace.h"

struct segments;

/* `representatives`: so many segments of each name are chosen; 0: all.  Without `code`, in a recording without code
 * hashes, all are. */
struct segments *segments_new(bool code, uint64_t representatives);
void segments_free(struct segments *segments);

struct segment {
	uint64_t number;  /* from 1 */
	uint64_t name[2]; /* of its code; 0 if it is not known */
	uint64_t seen;    /* segments of the same name up to this one, itself included */
	bool chosen;      /* it is among the first `representatives` of its name */
};

/* An event of the segment. */
void segments_event(struct segments *segments, const struct event *ev);

/* The segment ends before the next event. */
struct segment segments_cut(struct segments *segments);

/* The same, and nobody will look at it: it does not speak for later ones of its name. */
void segments_skip(struct segments *segments);

uint64_t segments_total(const struct segments *segments);
uint64_t segments_unique(const struct segments *segments); /* different names; 0 if names are not known */
uint64_t segments_left_out(const struct segments *segments);

#endif
