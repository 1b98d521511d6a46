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
#include "cli/interrupt.h"
#include "cli/summary.h"
#include "run/mend.h"
#include "trace/ahead.h"

enum {
	EVENTS_PER_LOOK = 1 << 16, /* between checks of the clock and for an interrupt */
	WAIT_MS = 2,               /* wait this long for the recorder to close a chunk */
	PROGRESS_MS = 200,
};

struct worker {
	const struct detector *detector;
	void *state;
};

struct scan {
	struct worker workers[DETECTORS_MAX * PLATFORMS_MAX];
	struct sink *sinks[DETECTORS_MAX * PLATFORMS_MAX];
	size_t count;
	struct stats *stats;   /* NULL: not wanted */
	struct survey *survey; /* NULL: not wanted */
	struct activity *activity;
	struct trace *trace;
	struct ahead *ahead; /* reads the trace ahead, while it is read */
	uint64_t events, counts[EVENT_TYPE_COUNT];
	uint32_t processes;
	int64_t busy_ms;
	bool complete, progress;
	int64_t progress_shown_ms;

	/* the follower */
	bool following;
	pthread_t thread;
	const char *dir;
	atomic_bool sealed;
	_Atomic uint64_t events_so_far; /* a copy of `events` for other threads */
	int result;
	struct err err;
};

/* Reading */

struct scan *scan_new(const struct choice *choice)
{
	struct scan *a = mem_alloc(sizeof(*a));

	for (size_t p = 0; p < choice->platform_count; p++)
		for (size_t d = 0; d < choice->detector_count; d++) {
			const struct detector *detector = choice->detectors[d];

			if (!detector->begin)
				continue;
			a->sinks[a->count] = sink_new(detector->name, platform_name(choice->platforms[p]));
			a->workers[a->count].detector = detector;
			a->workers[a->count].state = detector->begin(choice->platforms[p], a->sinks[a->count]);
			a->count++;
		}
	a->activity = activity_new();
	a->stats = choice->places ? stats_open() : NULL;
	a->survey = choice->inject || choice->explore ? survey_new(choice->at) : NULL;
	return a;
}

static void scan_event(struct scan *a, const struct event *ev)
{
	a->events++;
	a->counts[ev->type]++;
	if (ev->process >= a->processes)
		a->processes = ev->process + 1;
	activity_event(a->activity, ev);
	if (a->stats)
		stats_add(a->stats, ev);
	if (a->survey)
		survey_event(a->survey, ev, a->events);
	for (size_t i = 0; i < a->count; i++)
		a->workers[i].detector->event(a->workers[i].state, ev, a->events);
}

static void progress_show(struct scan *a)
{
	char number[32];

	if (!a->progress || clock_ms() - a->progress_shown_ms < PROGRESS_MS)
		return;
	a->progress_shown_ms = clock_ms();
	fprintf(stderr, "\r%s events analyzed", number_text(number, a->events));
}

static void progress_clear(struct scan *a)
{
	if (a->progress && a->progress_shown_ms)
		fprintf(stderr, "\r\033[K");
}

/* Read until the end (0), damage (-1), an interrupt (0) or, in a live recording, until no more is available
 * (TRACE_WAIT). */
static int scan_read(struct scan *a, struct err *err)
{
	int64_t start = clock_ms();
	const struct event *ev;
	int r;

	while ((r = ahead_next(a->ahead, &ev, err)) == 1) {
		scan_event(a, ev);
		if (a->events % EVENTS_PER_LOOK)
			continue;
		atomic_store(&a->events_so_far, a->events);
		if (interrupt_seen())
			break;
		progress_show(a);
	}
	atomic_store(&a->events_so_far, a->events);
	a->complete = r == 0;
	a->busy_ms += clock_ms() - start;
	return r == 1 ? 0 : r;
}

/* Following */

static void follower_wait(void)
{
	struct timespec pause = {.tv_nsec = WAIT_MS * 1000000};

	nanosleep(&pause, NULL);
}

/* Open the trace behind the writer. 0: the writer ended before it wrote anything readable. */
static int follower_open(struct scan *a)
{
	int r;

	while ((r = trace_open_live(&a->trace, a->dir, &a->err)) == 0) {
		if (atomic_load(&a->sealed))
			return 0;
		follower_wait();
	}
	return r;
}

static void *follower_run(void *arg)
{
	struct scan *a = arg;

	a->result = follower_open(a);
	if (a->result <= 0)
		return NULL;
	a->ahead = ahead_start(a->trace, false); /* the other core is for the recorder */
	while ((a->result = scan_read(a, &a->err)) == TRACE_WAIT) {
		if (!atomic_load(&a->sealed))
			follower_wait();
		else if ((a->result = trace_end_live(a->trace, &a->err)) < 0)
			break;
	}
	return NULL;
}

void scan_follow(struct scan *a, const char *dir)
{
	sigset_t all, old;

	a->dir = dir;
	/* Signals are for the main thread, which waits for them. */
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &old);
	a->following = pthread_create(&a->thread, NULL, follower_run, a) == 0;
	pthread_sigmask(SIG_SETMASK, &old, NULL);
}

uint64_t scan_events_so_far(struct scan *a)
{
	return atomic_load(&a->events_so_far);
}

static int follower_join(struct scan *a, struct err *err)
{
	atomic_store(&a->sealed, true);
	pthread_join(a->thread, NULL);
	a->following = false;
	if (a->result < 0)
		*err = a->err;
	return a->result;
}

/* If the program opened a pool while another process's crash state was in its place (run/inplace.h), this recording is
 * about that crash state. */
static int states_refuse(const struct scan *a, struct err *err)
{
	for (uint32_t id = 1; id <= trace_file_count(a->trace); id++) {
		const struct trace_file *file = trace_file(a->trace, id);

		if (!file || !file->path || !mend_is_state(file->path))
			continue;
		err_set(err, "the program opened a crash state, %s, that another blackout had put in place of a pool",
			file->path);
		return err_hint(err, "record again when that process has ended");
	}
	return 0;
}

int scan_finish(struct scan *a, const char *dir, bool progress, struct err *err)
{
	int r = 0;

	a->progress = progress;
	if (a->following)
		r = follower_join(a, err);
	if (!a->trace && r == 0) { /* there was nothing to follow */
		r = trace_open(&a->trace, dir, err);
		a->ahead = r == 0 ? ahead_start(a->trace, true) : NULL;
		if (r == 0)
			r = scan_read(a, err);
	}
	ahead_stop(a->ahead);
	a->ahead = NULL;
	if (a->survey)
		survey_end(a->survey);
	progress_clear(a);
	for (size_t i = 0; i < a->count; i++) {
		a->workers[i].detector->end(a->workers[i].state);
		a->workers[i].state = NULL;
	}
	return r == 0 ? states_refuse(a, err) : r;
}

bool scan_complete(const struct scan *a)
{
	return a->complete;
}

struct sink *const *scan_sinks(const struct scan *a, size_t *count)
{
	*count = a->count;
	return a->sinks;
}

struct trace *scan_trace(const struct scan *a)
{
	return a->trace;
}

void scan_totals(const struct scan *a, struct stats_summary *totals)
{
	*totals = (struct stats_summary){
		.events = a->events,
		.stores = a->counts[EVENT_STORE],
		.loads = a->counts[EVENT_LOAD],
		.flushes = a->counts[EVENT_CLFLUSH] + a->counts[EVENT_CLFLUSHOPT] + a->counts[EVENT_CLWB],
		.fences = a->counts[EVENT_SFENCE] + a->counts[EVENT_MFENCE],
		.locked = a->counts[EVENT_LOCKED],
		.threads = trace_thread_count(a->trace),
		.processes = a->processes,
		.files = trace_file_count(a->trace),
		.modules = trace_module_count(a->trace),
		.contexts = trace_context_count(a->trace),
	};
}

uint64_t scan_count(const struct scan *a, enum event_type type)
{
	return a->counts[type];
}

const struct activity *scan_activity(const struct scan *a)
{
	return a->activity;
}

bool scan_started_others(const struct scan *a)
{
	return a->counts[EVENT_FORK] || a->counts[EVENT_EXEC];
}

const struct survey *scan_survey(const struct scan *a)
{
	return a->survey;
}

const struct stats *scan_stats(const struct scan *a)
{
	return a->stats;
}

double scan_seconds(const struct scan *a)
{
	return (double)a->busy_ms / 1000;
}

void scan_free(struct scan *a)
{
	struct err ignored;

	if (a->following)
		follower_join(a, &ignored);
	ahead_stop(a->ahead);
	for (size_t i = 0; i < a->count; i++) {
		if (a->workers[i].state)
			a->workers[i].detector->end(a->workers[i].state);
		sink_free(a->sinks[i]);
	}
	if (a->stats)
		stats_close(a->stats);
	survey_free(a->survey);
	activity_free(a->activity);
	trace_close(a->trace);
	free(a);
}
