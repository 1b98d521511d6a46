/* SPDX-License-Identifier: GPL-2.0-or-later */
/* detector.h - the table of detectors.
 *
 *     const struct detector *d = &detector_patterns;            // or one of detector_all()
 *     void *state = d->begin(&(struct detector_scene){.platform = platform, .trace = trace, .sink = sink});
 *     while (trace_next(trace, &ev, &err) > 0)
 *             d->event(state, &ev, ++number);
 *     d->end(state);
 *
 * A detector receives every event as it arrives, so it can run while the target is still being recorded.  It prints
 * nothing, starts no process and parses no options; it reports what it sees to the sink.  To add a detector, write its
 * file and add it to DETECTORS.
 *
 * Code that chooses crash states and tests them is not a detector but a strategy (crash/strategy.h).  Users need not
 * know the difference: --detect takes both. */
#ifndef BLACKOUT_DETECT_DETECTOR_H
#define BLACKOUT_DETECT_DETECTOR_H

#include <stdint.h>

#include "detect/sink.h"
#include "trace/trace.h"

struct platform; /* model/platform.h */

/* The input of a detector.  All of it outlives the detector's state.  Options of detectors belong here, too. */
struct detector_scene {
	const struct platform *platform;
	/* Layers, mappings, modules and contexts, as far as the trace has been read; it is at its beginning. */
	const struct trace *trace;
	struct sink *sink;
};

struct detector {
	const char *name;
	/* Starts the detector and returns its state, which is not NULL. */
	void *(*begin)(const struct detector_scene *scene);
	/* Handles the next event; `number` counts from 1. */
	void (*event)(void *state, const struct event *ev, uint64_t number);
	/* Called at the end of the trace: reports what is left and frees the state. */
	void (*end)(void *state);
};

/* X(name, use): the struct is detector_NAME.  DETECT_BY_DEFAULT: it is used unless the user says what to use;
 * DETECT_IF_ASKED.  campaign/strategies.h has the rest of what --detect takes. */
#define DETECTORS(X) X(patterns, DETECT_BY_DEFAULT) X(transactions, DETECT_BY_DEFAULT)

/* For DETECTORS and STRATEGIES: all names, and those of the default.  The first character must be skipped. */
#define DETECT_BAR(name, use) "|" #name
#define DETECT_DEFAULT(name, use) use(name)
#define DETECT_BY_DEFAULT(name) "," #name
#define DETECT_IF_ASKED(name) ""

#define X(name, use) extern const struct detector detector_##name;
DETECTORS(X)
#undef X

/* All detectors, in an array that ends with NULL. */
const struct detector *const *detector_all(void);

#endif
