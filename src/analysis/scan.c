/* SPDX-License-Identifier: GPL-2.0-or-later */
/* scan.c - see scan.h.
 *
 * The follower and the main thread never use a scan at the same time.  The main thread starts the follower, does
 * not touch the scan while the target runs, sets `sealed` when nothing more will come, and joins the follower. */
#include "analysis/scan.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/mem.h"
#include "run/mend.h"
#include "trace/ahead.h"

enum {
	EVENTS_PER_LOOK = 1 << 16, /* between checks of the clock and for a stop */
	WAIT_MS = 2,               /* wait this long for the recorder to close a chunk */
};

struct worker {
	const struct detector *detector;
	const struct platform *platform;
	void *state; /* NULL: not begun, or ended */
};

struct scan {
	struct scan_options options;
	struct worker *workers; /* one for each detector and platform */
	struct sink **sinks;    /* theirs */
	size_t count;
	struct stats *stats;   /* NULL: not wanted */
	struct survey *survey; /* NULL: not wanted */
	struct activity *activity;
	struct operations *operations; /* NULL: not recorded */
	struct trace *trace;
	struct ahead *ahead; /* reads the trace ahead, while it is read */
	uint64_t events, counts[EVENT_TYPE_COUNT];
	uint32_t processes;
	int64_t busy_ms;
	bool complete;

	/* the follower */
	bool following;
	pthread_t thread;
	const char *dir;
	atomic_bool sealed;             /* nothing more will be written */
	_Atomic uint64_t events_so_far; /* a copy of `events` for other threads */
	int result;
	struct err err;
};

/* Reading */

struct scan *scan_new(const struct choice *choice, const struct scan_options *options)
{
	struct scan *s = mem_alloc(sizeof(*s));
	size_t most = choice->detector_count * choice->platform_count;

	s->options = *options;
	s->workers = mem_alloc((most + 1) * sizeof(*s->workers));
	s->sinks = mem_alloc((most + 1) * sizeof(struct sink *));
	for (size_t p = 0; p < choice->platform_count; p++)
		for (size_t d = 0; d < choice->detector_count; d++) {
			const struct detector *detector = choice->detectors[d];

			s->sinks[s->count] = sink_new(detector->name, platform_name(choice->platforms[p]));
			s->workers[s->count].detector = detector;
			s->workers[s->count].platform = choice->platforms[p];
			s->count++;
		}
	s->activity = activity_new();
	s->stats = choice->places ? stats_open() : NULL;
	s->survey = choice->strategy_count ? survey_new(choice->at) : NULL;
	return s;
}

/* The trace is open. */
static void detectors_begin(struct scan *s)
{
	if (trace_layers(s->trace) & BO_LAYER_OPERATIONS)
		s->operations = operations_open();
	for (size_t i = 0; i < s->count; i++) {
		const struct detector_scene scene = {.platform = s->workers[i].platform,
						     .trace = s->trace,
						     .sink = s->sinks[i]};

		s->workers[i].state = s->workers[i].detector->begin(&scene);
	}
}

static void scan_event(struct scan *s, const struct event *ev)
{
	s->events++;
	s->counts[ev->type]++;
	if (ev->process >= s->processes)
		s->processes = ev->process + 1;
	activity_event(s->activity, ev);
	if (s->operations)
		operations_add(s->operations, ev);
	if (s->stats)
		stats_add(s->stats, ev);
	if (s->survey)
		survey_event(s->survey, ev, s->events);
	for (size_t i = 0; i < s->count; i++)
		s->workers[i].detector->event(s->workers[i].state, ev, s->events);
}

/* Read until the end (0), damage (-1), a stop (0) or, in a live recording, until no more is available
 * (TRACE_WAIT). */
static int scan_read(struct scan *s, struct err *err)
{
	int64_t start = clock_ms();
	const struct event *ev;
	int r;

	while ((r = ahead_next(s->ahead, &ev, err)) == 1) {
		scan_event(s, ev);
		if (s->events % EVENTS_PER_LOOK)
			continue;
		atomic_store(&s->events_so_far, s->events);
		if (stop_asked(&s->options.stop))
			break;
		if (s->options.progress && atomic_load(&s->sealed))
			s->options.progress(s->options.arg, s->events);
	}
	atomic_store(&s->events_so_far, s->events);
	s->complete = r == 0;
	s->busy_ms += clock_ms() - start;
	return r == 1 ? 0 : r;
}

/* Following */

static void follower_wait(void)
{
	struct timespec pause = {.tv_nsec = WAIT_MS * 1000000};

	nanosleep(&pause, NULL);
}

/* Open the trace behind the writer. 0: the writer ended before it wrote anything readable. */
static int follower_open(struct scan *s)
{
	int r;

	while ((r = trace_open_live(&s->trace, s->dir, &s->err)) == 0) {
		if (atomic_load(&s->sealed))
			return 0;
		follower_wait();
	}
	return r;
}

static void *follower_run(void *arg)
{
	struct scan *s = arg;

	s->result = follower_open(s);
	if (s->result <= 0)
		return NULL;
	detectors_begin(s);
	s->ahead = ahead_start(s->trace, false); /* the other core is for the recorder */
	while ((s->result = scan_read(s, &s->err)) == TRACE_WAIT) {
		if (!atomic_load(&s->sealed))
			follower_wait();
		else if ((s->result = trace_end_live(s->trace, &s->err)) < 0)
			break;
	}
	return NULL;
}

void scan_follow(struct scan *s, const char *dir)
{
	sigset_t all, old;

	s->dir = dir;
	/* Signals are for the main thread, which waits for them. */
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &old);
	s->following = pthread_create(&s->thread, NULL, follower_run, s) == 0;
	pthread_sigmask(SIG_SETMASK, &old, NULL);
}

uint64_t scan_events_so_far(struct scan *s)
{
	return atomic_load(&s->events_so_far);
}

static int follower_join(struct scan *s, struct err *err)
{
	atomic_store(&s->sealed, true);
	pthread_join(s->thread, NULL);
	s->following = false;
	if (s->result < 0)
		*err = s->err;
	return s->result;
}

/* If the program opened a pool while another process's crash state was in its place (run/inplace.h), this recording is
 * about that crash state. */
static int states_refuse(const struct scan *s, struct err *err)
{
	for (uint32_t id = 1; id <= trace_file_count(s->trace); id++) {
		const struct trace_file *file = trace_file(s->trace, id);

		if (!file || !file->path || !mend_is_state(file->path))
			continue;
		err_set(err, "the program opened a crash state, %s, that another blackout had put in place of a pool",
			file->path);
		return err_hint(err, "record again when that process has ended");
	}
	return 0;
}

int scan_finish(struct scan *s, const char *dir, struct err *err)
{
	int r = 0;

	atomic_store(&s->sealed, true);
	if (s->following)
		r = follower_join(s, err);
	if (!s->trace && r == 0) { /* there was nothing to follow */
		r = trace_open(&s->trace, dir, err);
		s->ahead = r == 0 ? ahead_start(s->trace, true) : NULL;
		if (r == 0) {
			detectors_begin(s);
			r = scan_read(s, err);
		}
	}
	ahead_stop(s->ahead);
	s->ahead = NULL;
	if (s->survey)
		survey_end(s->survey);
	for (size_t i = 0; i < s->count; i++) {
		if (s->workers[i].state)
			s->workers[i].detector->end(s->workers[i].state);
		s->workers[i].state = NULL;
	}
	return r == 0 ? states_refuse(s, err) : r;
}

bool scan_complete(const struct scan *s)
{
	return s->complete;
}

struct sink *const *scan_sinks(const struct scan *s, size_t *count)
{
	*count = s->count;
	return s->sinks;
}

struct trace *scan_trace(const struct scan *s)
{
	return s->trace;
}

void scan_totals(const struct scan *s, struct stats_summary *totals)
{
	*totals = (struct stats_summary){
		.events = s->events,
		.stores = s->counts[EVENT_STORE],
		.loads = s->counts[EVENT_LOAD],
		.flushes = s->counts[EVENT_CLFLUSH] + s->counts[EVENT_CLFLUSHOPT] + s->counts[EVENT_CLWB],
		.fences = s->counts[EVENT_SFENCE] + s->counts[EVENT_MFENCE],
		.locked = s->counts[EVENT_LOCKED],
		.threads = trace_thread_count(s->trace),
		.processes = s->processes,
		.files = trace_file_count(s->trace),
		.modules = trace_module_count(s->trace),
		.contexts = trace_context_count(s->trace),
	};
}

uint64_t scan_count(const struct scan *s, enum event_type type)
{
	return s->counts[type];
}

const struct activity *scan_activity(const struct scan *s)
{
	return s->activity;
}

bool scan_started_others(const struct scan *s)
{
	return s->counts[EVENT_FORK] || s->counts[EVENT_EXEC];
}

const struct survey *scan_survey(const struct scan *s)
{
	return s->survey;
}

const struct stats *scan_stats(const struct scan *s)
{
	return s->stats;
}

struct operations_summary scan_operations(const struct scan *s)
{
	return s->operations ? operations_summary(s->operations) : (struct operations_summary){0};
}

double scan_seconds(const struct scan *s)
{
	return (double)s->busy_ms / 1000;
}

void scan_free(struct scan *s)
{
	struct err ignored;

	if (s->following)
		follower_join(s, &ignored);
	ahead_stop(s->ahead);
	for (size_t i = 0; i < s->count; i++) {
		if (s->workers[i].state)
			s->workers[i].detector->end(s->workers[i].state);
		sink_free(s->sinks[i]);
	}
	if (s->stats)
		stats_close(s->stats);
	survey_free(s->survey);
	operations_close(s->operations);
	activity_free(s->activity);
	trace_close(s->trace);
	free(s->workers);
	free(s->sinks);
	free(s);
}
