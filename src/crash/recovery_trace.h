/* SPDX-License-Identifier: GPL-2.0-or-later */
/* recovery_trace.h - record recovery on a crash state like any program, and hand the events of the recording to a
 * consumer.
 *
 *     static void count(void *arg, const struct trace *trace, const struct event *ev)
 *     {
 *             *(uint64_t *)arg += ev->type == EVENT_LOAD;
 *     }
 *
 *     uint64_t loads = 0;
 *     const struct recovery_consumer consumer = {.event = count, .arg = &loads};
 *     const struct recovery_trace_options how = {
 *             .tester = tester, .input.state = state, .layers = BO_LAYER_LOADS, .under = dir};
 *
 *     switch (recovery_trace(&how, &consumer, &err)) {
 *     case RECOVERY_TRACE_WHOLE: ...                       // `loads` counts all loads of recovery
 *     case RECOVERY_TRACE_CUT: ...                         // some are missing; err says why
 *
 * nested.c crashes the recovery that it records.  observe.c and leftovers.c look at what recovery reads.
 *
 * Contexts are numbered anew in each recording, and code may be loaded at other addresses.  Compare the code of
 * different recordings with trace/code_place.h, and PM files by their paths. */
#ifndef BLACKOUT_CRASH_RECOVERY_TRACE_H
#define BLACKOUT_CRASH_RECOVERY_TRACE_H

#include "crash/tester.h"
#include "trace/trace.h"

struct recovery_trace_options {
	struct tester *tester;     /* with no more to do than to drain */
	struct tester_input input; /* what recovery runs on */
	uint32_t layers;           /* enum bo_layer bits, besides stores, flushes and fences */
	unsigned patience;         /* see struct tester_recording; a recovery that is killed leaves a whole recording */
	double seconds;            /* likewise.  recovery_trace only: to read it may take a quarter of that */
	uint64_t most;             /* see struct tester_recording; if it is reached, RECOVERY_TRACE_LIMITED */
	const char *under;         /* an existing directory for the recording */
	/* Name of the recording in `under`, which stays there if it is whole; the caller removes it.  NULL: it is
	 * removed when the consumer has seen it. */
	const char *keep;
	uint64_t number; /* recovery_trace_start: tells apart the recordings that are under way */
};

/* Any function may be NULL. */
struct recovery_consumer {
	void (*begin)(void *arg, const struct trace *trace); /* before the first event */
	void (*event)(void *arg, const struct trace *trace, const struct event *ev);
	void (*end)(void *arg, const struct trace *trace); /* after the last event of a whole recording */
	void *arg;
};

/* How much of recovery the consumer has seen. */
enum recovery_traced {
	RECOVERY_TRACE_WHOLE,
	RECOVERY_TRACE_LIMITED, /* the beginning, as much as `most` and `seconds` allow */
	RECOVERY_TRACE_CUT,     /* nothing: the recorder ran out of space */
	RECOVERY_TRACE_DAMAGED, /* nothing, or the beginning: the recording cannot be read, or not to its end */
};

/* Record recovery.  Its outcome does not matter.  Returns an enum recovery_traced; TESTER_STOPPED: interrupted or out
 * of time, perhaps after the consumer has seen a part; -1: recovery cannot be recorded.  *err is filled unless the
 * recording is whole or limited, or the tester stopped.
 * Nothing is left in `under` unless `keep` says so. */
int recovery_trace(const struct recovery_trace_options *options, const struct recovery_consumer *consumer,
		   struct err *err);

/* Start to record recovery on a state, beside other runs of the tester.  The consumer sees the recording when it is
 * complete, from within a function of the tester that waits.  Then `done` is called, exactly once if this returns 0:
 * `traced` is what recovery_trace would return; *outcome is how recovery ended, NULL if `traced` is negative.  0,
 * TESTER_STOPPED or -1. */
typedef void recovery_traced_done(void *arg, int traced, const struct outcome *outcome);
int recovery_trace_start(const struct recovery_trace_options *options, const struct recovery_consumer *consumer,
			 recovery_traced_done *done, struct err *err);

#endif
