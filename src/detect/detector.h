/* SPDX-License-Identifier: GPL-2.0-or-later */
/* detector.h - the table of detectors.
 *
 *     const struct detector *d = &detector_patterns;            // or one of detector_all()
 *     void *state = d->begin(platform, sink);
 *     while (trace_next(trace, &ev, &err) > 0)
 *             d->event(state, &ev, ++number);
 *     d->end(state);
 *
 * A detector is told of every event as it comes, so that it can run while the target is still being recorded.  It
 * prints nothing, starts nothing and parses no options: what it sees goes to the sink.  To add one: write the file, add
 * a line to DETECTORS.
 *
 * One that has no functions works on crash states, after the recording was read: see crash/campaign.h. */
#ifndef BLACKOUT_DETECT_DETECTOR_H
#define BLACKOUT_DETECT_DETECTOR_H

#include <stdint.h>

#include "detect/sink.h"
#include "trace/trace.h"

struct platform; /* model/platform.h */

struct detector {
	const char *name;
	/* Start on a platform; both arguments outlive the detector's state, which is what is returned.  NULL in all
	 * three: nothing is to be learned from events one by one. */
	void *(*begin)(const struct platform *platform, struct sink *sink);
	/* The next event; `number` counts from 1. */
	void (*event)(void *state, const struct event *ev, uint64_t number);
	/* The trace is over: report what is left, and free the state. */
	void (*end)(void *state);
};

/* X(name): the struct is detector_NAME */
#define DETECTORS(X) X(patterns) X(inject) X(explore)
#define DETECTOR_BAR(name) "|" #name /* DETECTORS of it is a list for the table of options, with a bar to be left out */

#define X(name) extern const struct detector detector_##name;
DETECTORS(X)
#undef X

/* All of them; NULL ends the array. */
const struct detector *const *detector_all(void);

#endif
