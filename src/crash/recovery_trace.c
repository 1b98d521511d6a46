/* SPDX-License-Identifier: GPL-2.0-or-later */
/* recovery_trace.c - see recovery_trace.h. */
#include "crash/recovery_trace.h"

#include <limits.h>

#include "base/path.h"
#include "image/tree.h"
#include "run/recording.h"
#include "trace/seal.h"

/* Read the recording for the consumer.  0, or -1 if it cannot be read to its end. */
static int recording_tell(const char *dir, const struct recovery_consumer *consumer, struct err *err)
{
	struct trace *trace;
	struct event ev;
	int more;

	if (trace_open(&trace, dir, err) < 0)
		return -1;
	if (consumer->begin)
		consumer->begin(consumer->arg, trace);
	while ((more = trace_next(trace, &ev, err)) > 0)
		if (consumer->event)
			consumer->event(consumer->arg, trace, &ev);
	if (more == 0 && consumer->end)
		consumer->end(consumer->arg, trace);
	trace_close(trace);
	return more;
}

int recovery_trace(const struct recovery_trace_options *o, const struct recovery_consumer *consumer, struct err *err)
{
	struct recording recording = {.fd = -1};
	char dir[PATH_MAX], why[64];
	int r;

	if (path_make(dir, sizeof(dir), err, "%s/%s", o->under, o->keep ? o->keep : "recovery") < 0 ||
	    recording_create(&recording, dir, err) < 0)
		return -1;
	r = tester_record(
		o->tester, &o->input,
		&(struct tester_recording){.dir = recording.dir, .layers = o->layers, .patience = o->patience}, err);
	if (r == 0 && recording_stopped(&recording, why, sizeof(why))) {
		err_set(err, "recovery could not be recorded in %s: %s", o->under, why);
		r = RECOVERY_TRACE_CUT;
	}
	if (r == 0 && (trace_seal(recording.dir, &(struct seal_options){0}, err) < 0 ||
		       recording_tell(recording.dir, consumer, err) < 0))
		r = RECOVERY_TRACE_DAMAGED;
	recording_close(&recording);
	if (r != RECOVERY_TRACE_WHOLE || !o->keep)
		tree_remove(dir);
	return r;
}
