/* SPDX-License-Identifier: GPL-2.0-or-later */
/* meter.c - see meter.h. */
#include "cli/meter.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "cli/summary.h"

/* Save the cursor, go to the right edge, then back by the width of the text. */
#define AT_RIGHT_EDGE "\0337\033[999C\033[%dD"
#define BACK "\0338"

struct meter {
	struct scan *scan;
	const struct recording *recording;
	int64_t start_ms;
	int columns; /* width of the visible text; 0: none */
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t stop;
	bool stopped;
};

static void meter_show(struct meter *m)
{
	uint64_t events = m->scan ? scan_events_so_far(m->scan) : 0;
	uint64_t bytes = m->scan ? 0 : recording_bytes(m->recording);
	int64_t seconds = (clock_ms() - m->start_ms) / 1000;
	char text[100], number[32];

	if (events)
		snprintf(text, sizeof(text), " recording: %s events, %lld s", number_text(number, events),
			 (long long)seconds);
	else if (bytes)
		snprintf(text, sizeof(text), " recording: %s, %lld s", bytes_text(number, bytes), (long long)seconds);
	else
		snprintf(text, sizeof(text), " recording: %lld s", (long long)seconds);
	/* Use one write, so that the target's output cannot get in between. */
	m->columns = (int)strlen(text);
	dprintf(STDERR_FILENO, AT_RIGHT_EDGE "%s" BACK, m->columns - 1, text);
}

static void *meter_run(void *arg)
{
	struct meter *m = arg;
	int64_t wait_ms = METER_START_MS;

	pthread_mutex_lock(&m->lock);
	while (!m->stopped) {
		struct timespec until;

		clock_gettime(CLOCK_MONOTONIC, &until);
		until.tv_nsec += wait_ms % 1000 * 1000000;
		until.tv_sec += wait_ms / 1000 + until.tv_nsec / 1000000000;
		until.tv_nsec %= 1000000000;
		if (pthread_cond_timedwait(&m->stop, &m->lock, &until) && !m->stopped)
			meter_show(m);
		wait_ms = METER_STEP_MS;
	}
	pthread_mutex_unlock(&m->lock);
	return NULL;
}

struct meter *meter_start(struct scan *scan, const struct recording *recording)
{
	const char *term = getenv("TERM");
	pthread_condattr_t monotonic;
	sigset_t all, old;
	struct meter *m;
	int r;

	if (!isatty(STDERR_FILENO) || !term || !strcmp(term, "dumb"))
		return NULL;
	m = mem_alloc(sizeof(*m));
	m->scan = scan;
	m->recording = recording;
	m->start_ms = clock_ms();
	pthread_mutex_init(&m->lock, NULL);
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&m->stop, &monotonic);
	pthread_condattr_destroy(&monotonic);
	/* Signals are for the main thread, which waits for them. */
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &old);
	r = pthread_create(&m->thread, NULL, meter_run, m);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (r == 0)
		return m;
	free(m);
	return NULL;
}

void meter_stop(struct meter *m)
{
	if (!m)
		return;
	pthread_mutex_lock(&m->lock);
	m->stopped = true;
	pthread_cond_signal(&m->stop);
	pthread_mutex_unlock(&m->lock);
	pthread_join(m->thread, NULL);
	if (m->columns)
		dprintf(STDERR_FILENO, AT_RIGHT_EDGE "\033[K" BACK, m->columns - 1);
	pthread_cond_destroy(&m->stop);
	pthread_mutex_destroy(&m->lock);
	free(m);
}
