/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A ring of parts.  The thread fills them in turn and the caller takes them in turn.  `filled` and `taken` count them,
 * and the faster side waits.  A part belongs to one side at a time, so only these counters need the lock. */
#include "trace/ahead.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string.h>

#include "base/mem.h"

enum {
	PARTS = 8,
	PART_EVENTS = 1024,
	PART_FULL = 1 << 16, /* a part is closed after this many bytes of data */
	PART_BYTES =
		PART_FULL + BO_CHUNK_BYTES, /* plus the data of one more event, which cannot be longer than a chunk */
};

struct part {
	struct event events[PART_EVENTS];
	size_t count;
	uint8_t *data; /* copies of the events' data, which the trace keeps valid only until its next event */
	size_t used;
};

struct reader {
	struct trace *trace;
	pthread_t thread;
	struct part parts[PARTS];
	int result; /* the final result of reading, and its error */
	struct err err;

	pthread_mutex_t lock; /* protects all fields below */
	pthread_cond_t for_reader, for_caller;
	size_t filled, taken;
	bool holding; /* the caller holds the part after the taken ones */
	bool over;    /* no more parts will be filled */
	bool stopped; /* no more parts will be taken */
};

/* ---- the thread ---- */

/* Like trace_next: returns 1 if there may be more. */
static int part_fill(struct part *part, struct trace *trace, struct err *err)
{
	part->count = part->used = 0;
	while (part->count < PART_EVENTS && part->used < PART_FULL) {
		struct event *ev = &part->events[part->count];
		int r = trace_next(trace, ev, err);

		if (r != 1)
			return r;
		if (ev->data) {
			ev->data = memcpy(part->data + part->used, ev->data, ev->size);
			part->used += ev->size;
		}
		part->count++;
	}
	return 1;
}

/* Wait for a free part to fill; NULL if the caller has stopped.  A reader that has to wait does so until half of the
 * parts are free, so that it is not woken for each one. */
static struct part *reader_part(struct reader *r)
{
	struct part *part;

	pthread_mutex_lock(&r->lock);
	if (r->filled - r->taken == PARTS) {
		while (r->filled - r->taken > PARTS / 2 && !r->stopped)
			pthread_cond_wait(&r->for_reader, &r->lock);
	}
	part = r->stopped ? NULL : &r->parts[r->filled % PARTS];
	pthread_mutex_unlock(&r->lock);
	return part;
}

static void reader_give(struct reader *r, bool over)
{
	pthread_mutex_lock(&r->lock);
	r->filled++;
	r->over = over;
	pthread_cond_signal(&r->for_caller);
	pthread_mutex_unlock(&r->lock);
}

static void *reader_run(void *arg)
{
	struct reader *r = arg;
	struct part *part;

	do {
		part = reader_part(r);
		if (!part)
			break;
		r->result = part_fill(part, r->trace, &r->err);
		reader_give(r, r->result != 1);
	} while (r->result == 1);
	return NULL;
}

/* ---- the caller ---- */

static bool processors_are_several(void)
{
	cpu_set_t set;

	return sched_getaffinity(0, sizeof(set), &set) < 0 || CPU_COUNT(&set) > 1;
}

static void reader_free(struct reader *r)
{
	for (size_t i = 0; i < PARTS; i++)
		free(r->parts[i].data);
	pthread_cond_destroy(&r->for_reader);
	pthread_cond_destroy(&r->for_caller);
	pthread_mutex_destroy(&r->lock);
	free(r);
}

/* NULL if the thread cannot be created. */
static struct reader *reader_start(struct trace *trace)
{
	struct reader *r = mem_alloc(sizeof(*r));
	sigset_t all, old;
	int failed;

	r->trace = trace;
	for (size_t i = 0; i < PARTS; i++)
		r->parts[i].data = mem_resize(NULL, PART_BYTES, 1);
	pthread_mutex_init(&r->lock, NULL);
	pthread_cond_init(&r->for_reader, NULL);
	pthread_cond_init(&r->for_caller, NULL);
	/* Signals are for the main thread. */
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &old);
	failed = pthread_create(&r->thread, NULL, reader_run, r);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (!failed)
		return r;
	reader_free(r);
	return NULL;
}

/* Return the previous part and take the next; NULL if there is none. */
static const struct part *reader_take(struct reader *r)
{
	const struct part *part;

	pthread_mutex_lock(&r->lock);
	r->taken += r->holding;
	if (r->filled - r->taken == PARTS / 2)
		pthread_cond_signal(&r->for_reader);
	while (r->filled == r->taken && !r->over)
		pthread_cond_wait(&r->for_caller, &r->lock);
	r->holding = r->filled != r->taken;
	part = r->holding ? &r->parts[r->taken % PARTS] : NULL;
	pthread_mutex_unlock(&r->lock);
	return part;
}

struct ahead *ahead_start(struct trace *trace, bool threaded)
{
	struct ahead *ahead = mem_alloc(sizeof(*ahead));

	ahead->trace = trace;
	ahead->reader = threaded && processors_are_several() ? reader_start(trace) : NULL;
	return ahead;
}

int ahead_more(struct ahead *ahead, const struct event **ev, struct err *err)
{
	struct reader *r = ahead->reader;
	const struct part *part;

	if (!r) {
		*ev = &ahead->event;
		return trace_next(ahead->trace, &ahead->event, err);
	}
	do {
		part = reader_take(r);
		if (!part) {
			*err = r->err;
			return r->result;
		}
		ahead->next = part->events;
		ahead->end = part->events + part->count;
	} while (!part->count);
	*ev = ahead->next++;
	return 1;
}

void ahead_stop(struct ahead *ahead)
{
	struct reader *r = ahead ? ahead->reader : NULL;

	if (r) {
		pthread_mutex_lock(&r->lock);
		r->stopped = true;
		pthread_cond_signal(&r->for_reader);
		pthread_mutex_unlock(&r->lock);
		pthread_join(r->thread, NULL);
		reader_free(r);
	}
	free(ahead);
}
