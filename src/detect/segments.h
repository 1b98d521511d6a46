/* SPDX-License-Identifier: GPL-2.0-or-later */
/* segments.h - the parts of a trace between two moments (model/moments.h), and whether the same code ran before.
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
 * DESIGN.  A segment is identified by the instructions that all threads executed in it.  The recorder (--bo-code)
 * hashes the instructions of a thread, as offsets in their files, up to each of its fences.  The sequence of these
 * hashes is the name of the segment.  Instructions since a thread's last fence are not hashed yet when the segment ends
 * because of another thread's fence, a sync or the end of the trace.  The calling contexts of the stores and flushes
 * among them are used instead.  It does not matter which thread executed what.
 *
 * It is only a guess that the same instructions have the same effect on a crash.  The addresses, the values and the
 * previously pending stores may differ: a value that straddles two lines has more crash states than one that does
 * not.  Therefore the guess can be switched off, or weakened by exploring several segments of each name. */
#ifndef BLACKOUT_DETECT_SEGMENTS_H
#define BLACKOUT_DETECT_SEGMENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/trace.h"

struct segments;

/* Chooses the first `representatives` segments of each name; 0: all.  `code` says that the recording has code
 * hashes; without them, all segments are chosen. */
struct segments *segments_new(bool code, uint64_t representatives);
void segments_free(struct segments *segments);

struct segment {
	uint64_t number;  /* from 1 */
	uint64_t name[2]; /* of its code; 0 if unknown */
	uint64_t seen;    /* segments of this name so far, including this one */
	bool chosen;      /* it is one of the first `representatives` of its name */
};

/* Adds an event to the current segment. */
void segments_event(struct segments *segments, const struct event *ev);

/* Ends the current segment; the next event belongs to a new one. */
struct segment segments_cut(struct segments *segments);

/* Ends the current segment without exploring it: it does not count as a representative of its name. */
void segments_skip(struct segments *segments);

uint64_t segments_total(const struct segments *segments);
uint64_t segments_unique(const struct segments *segments); /* different names; 0 if names are unknown */
uint64_t segments_left_out(const struct segments *segments);

#endif
