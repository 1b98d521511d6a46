/* SPDX-License-Identifier: GPL-2.0-or-later */
// link: build/libblackout.a -ldw -lelf -lxxhash -lzstd -lgmp -ljansson
/* model_speed DIR [PLATFORM [states]] - measures how fast a recording passes through the model.  Prints
 *
 *     EVENTS events  SECONDS s  RATE million events/s  PENDING pending at the end  MEMORY MB
 *
 * The events are first read into memory, one part at a time, so that the seconds are those of the model alone.  With
 * `states` the model keeps all data that sets of crash states need, otherwise only what the pattern detector needs.
 * Its observer has empty functions. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "model/model.h"
#include "trace/trace.h"

#define PART_EVENTS 100000
#define PART_BYTES ((size_t)64 << 20)

struct part {
	struct event events[PART_EVENTS];
	size_t count;
	uint8_t *bytes;
	size_t used;
};

static unsigned long told;

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void on_unit(void *arg, const struct event *ev, const struct unit *unit)
{
	(void)arg, (void)ev, (void)unit;
	told++;
}

static void on_line(void *arg, const struct event *ev, const struct unit *common, uint64_t bytes)
{
	(void)arg, (void)ev, (void)common, (void)bytes;
	told++;
}

static void on_flush(void *arg, const struct event *ev, const struct flush_effect *effect)
{
	(void)arg, (void)ev, (void)effect;
	told++;
}

static void on_fence(void *arg, const struct event *ev, const struct fence_effect *effect)
{
	(void)arg, (void)ev, (void)effect;
	told++;
}

/* Fills the part.  Returns as trace_next does. */
static int part_read(struct part *part, struct trace *trace, struct err *err)
{
	int r = 1;

	part->count = part->used = 0;
	while (part->count < PART_EVENTS && part->used + BO_DATA_MAX < PART_BYTES) {
		struct event *ev = &part->events[part->count];

		r = trace_next(trace, ev, err);
		if (r <= 0)
			break;
		if (ev->data) {
			memcpy(part->bytes + part->used, ev->data, ev->size);
			ev->data = part->bytes + part->used;
			part->used += ev->size;
		}
		part->count++;
	}
	return r;
}

/* Returns seconds, or -1. */
static double run(struct model *model, const char *dir, struct err *err)
{
	struct part *part = malloc(sizeof(*part));
	double seconds = 0, start;
	struct trace *trace;
	int r;

	part->bytes = malloc(PART_BYTES);
	if (trace_open(&trace, dir, err) < 0)
		return -1;
	do {
		r = part_read(part, trace, err);
		start = now();
		for (size_t i = 0; i < part->count; i++)
			model_apply(model, &part->events[i]);
		seconds += now() - start;
	} while (r > 0);
	trace_close(trace);
	free(part->bytes);
	free(part);
	return r < 0 ? -1 : seconds;
}

int main(int argc, char **argv)
{
	static const struct model_observer observer = {
		.overwrite = on_unit,
		.flush = on_flush,
		.fence = on_fence,
		.persist_line = on_line,
		.leftover = on_unit,
	};
	const struct platform *platform = platform_find(argc > 2 ? argv[2] : "adr");
	struct rusage usage;
	struct model *model;
	struct err err;
	double seconds;

	if (argc < 2 || !platform) {
		fprintf(stderr, "usage: model_speed DIR [PLATFORM [states]]\n");
		return 2;
	}
	model = model_new(platform, argc > 3 ? MODEL_STATES : MODEL_VISIBLE, &observer, NULL);
	seconds = run(model, argv[1], &err);
	if (seconds < 0) {
		fprintf(stderr, "%s\n", err.sentence);
		return 3;
	}
	getrusage(RUSAGE_SELF, &usage);
	printf("%lu events  %.3f s  %.1f million events/s  %zu pending at the end  %ld MB\n",
	       (unsigned long)model_events(model), seconds, (double)model_events(model) / seconds / 1e6,
	       model_pending_count(model), usage.ru_maxrss / 1024);
	model_end(model);
	model_free(model);
	return 0;
}
