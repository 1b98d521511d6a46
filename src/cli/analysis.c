/* SPDX-License-Identifier: GPL-2.0-or-later */
/* analysis.c - see analysis.h.
 *
 * The follower and the main thread never use an analysis at the same time.  The main thread starts the follower, does
 * not touch the analysis while the target runs, sets `sealed` when nothing more will come, and joins the follower. */
#include "cli/analysis.h"

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

struct analysis {
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

/* Choice */

static int name_refuse(struct err *err, const char *what, const char *name, size_t length, const char *known)
{
	err_set(err, "unknown %s '%.*s'; choose from: %s", what, (int)length, name, known);
	return err_status(err, ERR_USAGE);
}

static int detector_add(struct choice *c, const char *name, size_t length, struct err *err)
{
	char known[256] = "";

	for (const struct detector *const *d = detector_all(); *d; d++) {
		if (strlen((*d)->name) == length && !memcmp((*d)->name, name, length)) {
			for (size_t i = 0; i < c->detector_count; i++)
				if (c->detectors[i] == *d)
					return 0;
			c->detectors[c->detector_count++] = *d;
			return 0;
		}
		snprintf(known + strlen(known), sizeof(known) - strlen(known), "%s%s", *known ? ", " : "", (*d)->name);
	}
	return name_refuse(err, "detector", name, length, known);
}

static int platform_add(struct choice *c, const char *name, size_t length, struct err *err)
{
	const struct platform *platform;
	char known[256] = "";

	for (size_t i = 0; (platform = platform_at(i)); i++) {
		const char *own = platform_name(platform);

		if (strlen(own) == length && !memcmp(own, name, length)) {
			for (size_t k = 0; k < c->platform_count; k++)
				if (c->platforms[k] == platform)
					return 0;
			c->platforms[c->platform_count++] = platform;
			return 0;
		}
		snprintf(known + strlen(known), sizeof(known) - strlen(known), "%s%s", *known ? ", " : "", own);
	}
	return name_refuse(err, "platform", name, length, known);
}

static int list_parse(struct choice *c, const char *list,
		      int (*add)(struct choice *, const char *, size_t, struct err *), struct err *err)
{
	for (const char *end; list; list = *end ? end + 1 : NULL) {
		end = strchrnul(list, ',');
		if (add(c, list, (size_t)(end - list), err) < 0)
			return -1;
	}
	return 0;
}

int choice_parse(struct choice *choice, const char *detect, const char *platform, struct err *err)
{
	*choice = (struct choice){0};
	if (list_parse(choice, detect, detector_add, err) < 0)
		return -1;
	for (size_t i = 0; i < choice->detector_count; i++) {
		choice->inject |= choice->detectors[i] == &detector_inject;
		choice->explore |= choice->detectors[i] == &detector_explore;
	}
	return list_parse(choice, platform, platform_add, err);
}

/* Reading */

struct analysis *analysis_new(const struct choice *choice)
{
	struct analysis *a = mem_alloc(sizeof(*a));

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

static void analysis_event(struct analysis *a, const struct event *ev)
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

static void progress_show(struct analysis *a)
{
	char number[32];

	if (!a->progress || clock_ms() - a->progress_shown_ms < PROGRESS_MS)
		return;
	a->progress_shown_ms = clock_ms();
	fprintf(stderr, "\r%s events analyzed", number_text(number, a->events));
}

static void progress_clear(struct analysis *a)
{
	if (a->progress && a->progress_shown_ms)
		fprintf(stderr, "\r\033[K");
}

/* Read until the end (0), damage (-1), an interrupt (0) or, in a live recording, until no more is available
 * (TRACE_WAIT). */
static int analysis_read(struct analysis *a, struct err *err)
{
	int64_t start = clock_ms();
	const struct event *ev;
	int r;

	while ((r = ahead_next(a->ahead, &ev, err)) == 1) {
		analysis_event(a, ev);
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
static int follower_open(struct analysis *a)
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
	struct analysis *a = arg;

	a->result = follower_open(a);
	if (a->result <= 0)
		return NULL;
	a->ahead = ahead_start(a->trace, false); /* the other core is for the recorder */
	while ((a->result = analysis_read(a, &a->err)) == TRACE_WAIT) {
		if (!atomic_load(&a->sealed))
			follower_wait();
		else if ((a->result = trace_end_live(a->trace, &a->err)) < 0)
			break;
	}
	return NULL;
}

void analysis_follow(struct analysis *a, const char *dir)
{
	sigset_t all, old;

	a->dir = dir;
	/* Signals are for the main thread, which waits for them. */
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &old);
	a->following = pthread_create(&a->thread, NULL, follower_run, a) == 0;
	pthread_sigmask(SIG_SETMASK, &old, NULL);
}

uint64_t analysis_events_so_far(struct analysis *a)
{
	return atomic_load(&a->events_so_far);
}

static int follower_join(struct analysis *a, struct err *err)
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
static int states_refuse(const struct analysis *a, struct err *err)
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

int analysis_finish(struct analysis *a, const char *dir, bool progress, struct err *err)
{
	int r = 0;

	a->progress = progress;
	if (a->following)
		r = follower_join(a, err);
	if (!a->trace && r == 0) { /* there was nothing to follow */
		r = trace_open(&a->trace, dir, err);
		a->ahead = r == 0 ? ahead_start(a->trace, true) : NULL;
		if (r == 0)
			r = analysis_read(a, err);
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

bool analysis_complete(const struct analysis *a)
{
	return a->complete;
}

struct sink *const *analysis_sinks(const struct analysis *a, size_t *count)
{
	*count = a->count;
	return a->sinks;
}

struct trace *analysis_trace(const struct analysis *a)
{
	return a->trace;
}

void analysis_totals(const struct analysis *a, struct stats_summary *totals)
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

uint64_t analysis_count(const struct analysis *a, enum event_type type)
{
	return a->counts[type];
}

const struct activity *analysis_activity(const struct analysis *a)
{
	return a->activity;
}

bool analysis_started_others(const struct analysis *a)
{
	return a->counts[EVENT_FORK] || a->counts[EVENT_EXEC];
}

const struct survey *analysis_survey(const struct analysis *a)
{
	return a->survey;
}

const struct stats *analysis_stats(const struct analysis *a)
{
	return a->stats;
}

double analysis_seconds(const struct analysis *a)
{
	return (double)a->busy_ms / 1000;
}

void analysis_free(struct analysis *a)
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
