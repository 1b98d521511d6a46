/* SPDX-License-Identifier: GPL-2.0-or-later */
/* detector.h - the table of detectors.
 *
 *     const struct detector *d = &detector_patterns;            // or one of detector_all()
 *     void *state = d->begin(platform, sink);
 *     while (trace_next(trace, &ev, &err) > 0)
 *             d->event(state, &ev, ++number);
 *     d->end(state);
 *
 * A detector receives every event as it arrives, so it can run while the target is still being recorded.  It prints
 * nothing, starts no process and parses no options; it reports what it sees to the sink.  To add a detector, write its
 * file and add it to DETECTORS.
 *
 * A detector without functions works on crash states after the recording has been read: see campaign/campaign.h. */
#ifndef BLACKOUT_DETECT_DETECTOR_H
#define BLACKOUT_DETECT_DETECTOR_H

#include <stdint.h>

#include "detect/sink.h"
#include "trace/trace.h"

struct platform; /* model/platform.h */

struct detector {
	const char *name;
	/* Starts the detector for a platform and returns its state.  Both arguments must outlive that state.  All
	 * three functions are NULL for a detector that does not work on single events. */
	void *(*begin)(const struct platform *platform, struct sink *sink);
	/* Handles the next event; `number` counts from 1. */
	void (*event)(void *state, const struct event *ev, uint64_t number);
	/* Called at the end of the trace: reports what is left and frees the state. */
	void (*end)(void *state);
};

/* X(name): the struct is detector_NAME */
#define DETECTORS(X) X(patterns) X(inject) X(explore)
#define DETECTOR_BAR(name) "|" #name /* for DETECTORS(DETECTOR_BAR), a list of names; the first bar must be skipped */

#define X(name) extern const struct detector detector_##name;
DETECTORS(X)
#undef X

/* All detectors, in an array that ends with NULL. */
const struct detector *const *detector_all(void);

#endif
