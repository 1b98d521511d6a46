/* SPDX-License-Identifier: GPL-2.0-or-later */
/* recovery_trace.c - see recovery_trace.h. */
#include "crash/recovery_trace.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/path.h"
#include "image/tree.h"
#include "run/recording.h"
#include "trace/seal.h"

#define READING_SHARE 0.25 /* of the time for recovery */
enum { EVENTS_PER_LOOK = 1 << 14 };

/* Who reads, and until when; 0: there is no limit. */
struct reader {
	const struct tester *tester;
	double end;
};

static struct reader reader_begin(const struct tester *tester, double seconds)
{
	return (struct reader){tester, seconds > 0 ? clock_seconds() + READING_SHARE * seconds : 0};
}

enum { READER_LATE = -3 };

/* The next event, unless it is time to stop: as trace_next, or TESTER_STOPPED, or READER_LATE. */
static int event_next(const struct reader *reader, struct trace *trace, uint64_t number, struct event *ev,
		      struct err *err)
{
	bool look = number % EVENTS_PER_LOOK == 0;

	if (look && tester_is_stopped(reader->tester))
		return TESTER_STOPPED;
	return look && reader->end > 0 && clock_seconds() > reader->end ? READER_LATE : trace_next(trace, ev, err);
}

/* Read the recording for the consumer.  0; TESTER_STOPPED; READER_LATE; or -1 if it cannot be read to its end. */
static int recording_tell(const struct reader *reader, const char *dir, const struct recovery_consumer *consumer,
			  struct err *err)
{
	struct trace *trace;
	struct event ev;
	uint64_t number = 0;
	int more;

	if (trace_open(&trace, dir, err) < 0)
		return -1;
	if (consumer->begin)
		consumer->begin(consumer->arg, trace);
	while ((more = event_next(reader, trace, number++, &ev, err)) > 0)
		if (consumer->event)
			consumer->event(consumer->arg, trace, &ev);
	if (more == 0 && consumer->end)
		consumer->end(consumer->arg, trace);
	trace_close(trace);
	return more;
}

static int recording_begin(const struct recovery_trace_options *o, struct recording *recording, char dir[PATH_MAX],
			   struct err *err)
{
	char name[32];

	*recording = (struct recording){.fd = -1};
	snprintf(name, sizeof(name), "recovery%" PRIu64, o->number);
	if (path_make(dir, PATH_MAX, err, "%s/%s", o->under, o->keep ? o->keep : name) < 0)
		return -1;
	return recording_create(recording, dir, err);
}

static struct tester_recording recording_how(const struct recovery_trace_options *o, const struct recording *recording)
{
	return (struct tester_recording){.dir = recording->dir,
					 .layers = o->layers,
					 .patience = o->patience,
					 .seconds = o->seconds,
					 .most = o->most};
}

/* A recording was made: read it.  Returns what recovery_trace does. */
static int recording_read(const struct recording *recording, const struct reader *reader, const char *under,
			  const struct recovery_consumer *consumer, struct err *err)
{
	char why[64];
	bool limited = recording_stopped(recording, why, sizeof(why)) && !strcmp(why, BO_STOPPED_MOST);
	int r;

	if (*why && !limited) {
		err_set(err, "recovery could not be recorded in %s: %s", under, why);
		return RECOVERY_TRACE_CUT;
	}
	if (trace_seal(recording->dir, &(struct seal_options){0}, err) < 0)
		return RECOVERY_TRACE_DAMAGED;
	r = recording_tell(reader, recording->dir, consumer, err);
	if (r == READER_LATE || (r == 0 && limited))
		return RECOVERY_TRACE_LIMITED;
	return r < 0 && r != TESTER_STOPPED ? RECOVERY_TRACE_DAMAGED : r;
}

/* The tester has made a recording, or not, as `r` says.  Returns what recovery_trace does. */
static int recording_end(struct recording *recording, const struct reader *reader, int r, const char *under,
			 const struct recovery_consumer *consumer, struct err *err)
{
	if (r == 0)
		r = recording_read(recording, reader, under, consumer, err);
	recording_close(recording);
	return r;
}

int recovery_trace(const struct recovery_trace_options *o, const struct recovery_consumer *consumer, struct err *err)
{
	struct recording recording;
	struct tester_recording how;
	char dir[PATH_MAX];
	int r;

	if (recording_begin(o, &recording, dir, err) < 0)
		return -1;
	how = recording_how(o, &recording);
	r = tester_record(o->tester, &o->input, &how, err);
	const struct reader reader = reader_begin(o->tester, o->seconds);
	r = recording_end(&recording, &reader, r, o->under, consumer, err);
	if (r != RECOVERY_TRACE_WHOLE || !o->keep)
		tree_remove(dir);
	return r;
}

/* Several at a time */

struct flight {
	const struct tester *tester;
	struct recording recording;
	char dir[PATH_MAX];
	struct recovery_consumer consumer;
	recovery_traced_done *done;
};

static void flight_end(void *arg, const struct outcome *outcome)
{
	struct flight *f = arg;
	struct err ignored;
	const struct reader reader = reader_begin(f->tester, 0);
	int r = recording_end(&f->recording, &reader, outcome ? 0 : TESTER_STOPPED, f->dir, &f->consumer, &ignored);

	tree_remove(f->dir);
	f->done(f->consumer.arg, r, r < 0 ? NULL : outcome);
	free(f);
}

int recovery_trace_start(const struct recovery_trace_options *o, const struct recovery_consumer *consumer,
			 recovery_traced_done *done, struct err *err)
{
	struct flight *f = mem_alloc(sizeof(*f));
	struct tester_recording how;
	int r = -1;

	*f = (struct flight){.tester = o->tester, .consumer = *consumer, .done = done};
	BUG_ON(o->keep);
	if (recording_begin(o, &f->recording, f->dir, err) == 0) {
		how = recording_how(o, &f->recording);
		r = tester_start_recording(o->tester, &o->input, &how, flight_end, f, err);
		if (r == 0)
			return 0;
		recording_close(&f->recording);
		tree_remove(f->dir);
	}
	free(f);
	return r;
}
