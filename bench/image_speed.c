/* SPDX-License-Identifier: GPL-2.0-or-later */
// link: build/libblackout.a -ldw -lelf -lxxhash -lzstd -lgmp -ljansson
/* image_speed [DIR] - measures how fast crash states are made.  Prints
 *
 *     RATE thousand digests/s of states    (12 stores on 12 lines pending, full pool of 64 MiB: 4096 states per fence)
 *     RATE thousand loads/s of a stage     (alternating between two states that differ in 12 stores)
 *     EVENTS events  SECONDS s  RATE million events/s  MEMORY MB    (with DIR: a recording passes through an image) */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "image/stage.h"
#include "trace/trace.h"

#include "../test/unit/model_sets.c" /* a benchmark is one file */

#define POOL ((uint64_t)64 << 20)
#define STORES 12u
#define SEGMENTS 100u
#define LOADS 20000u

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void put(struct image *image, enum event_type type, uint64_t offset, uint64_t value)
{
	struct event ev = {.type = type, .file = 1, .thread = 1, .offset = offset, .size = 8};

	ev.data = (const uint8_t *)&value;
	image_apply(image, &ev);
}

static struct image *pool_make(struct origin *origin)
{
	struct event file = {.type = EVENT_FILE, .file = 1, .size = POOL, .path = "/pm/pool"};
	struct image *image = image_new(platform_find("adr"), NULL);

	origin_apply(origin, &file);
	image_apply(image, &file);
	for (uint64_t offset = 0; offset < POOL; offset += 64)
		put(image, EVENT_CONTENT, offset, offset + 1);
	return image;
}

/* Stores to lines all over the pool and flushes each, without a fence. */
static void segment_store(struct image *image, uint64_t number)
{
	for (uint64_t i = 0; i < STORES; i++) {
		uint64_t offset = (number * STORES + i) * 1234577 * 64 % POOL;

		put(image, EVENT_STORE, offset, number + 1);
		put(image, EVENT_CLWB, offset, 0);
	}
}

static void segment_fence(struct image *image)
{
	image_apply(image, &(struct event){.type = EVENT_SFENCE, .thread = 1});
}

struct total {
	struct image *image;
	struct digest sum; /* keeps the digests from being optimized away */
	unsigned long states;
};

static bool on_state(void *arg, const bool *persisted, size_t count)
{
	struct total *t = arg;

	(void)count;
	t->sum = digest_add(t->sum, state_digest(t->image, persisted));
	t->states++;
	return true;
}

static void measure_digests(struct image *image)
{
	struct total t = {.image = image};
	double start, seconds;

	state_digest_none(image); /* hashes the whole pool once, before the measurement */
	start = now();
	for (uint64_t i = 0; i < SEGMENTS; i++) {
		segment_store(image, i);
		model_enumerate(image_model(image), on_state, &t);
		segment_fence(image);
	}
	seconds = now() - start;
	printf("%.0f thousand digests/s of states\n", (double)t.states / seconds / 1e3);
}

static int measure_loads(struct image *image, const struct origin *origin, struct err *err)
{
	struct staging *staging;
	struct state *states[2];
	struct stage *stage;
	double start, seconds;
	int r = 0;

	if (staging_open(&staging, origin, NULL, 1, err) < 0)
		return -1;
	stage = stage_new(staging, image, err);
	segment_store(image, SEGMENTS);
	states[0] = state_none(image);
	states[1] = state_all(image);
	if (!stage || stage_load(stage, states[0], err) < 0)
		r = -1;
	start = now();
	for (unsigned i = 0; i < LOADS && r == 0; i++)
		r = stage_load(stage, states[(i + 1) % 2], err);
	seconds = now() - start;
	printf("%.0f thousand loads/s of a stage\n", LOADS / seconds / 1e3);
	state_free(states[0]);
	state_free(states[1]);
	staging_close(staging);
	return r;
}

static int measure_recording(const char *dir, struct err *err)
{
	struct image *image = image_new(platform_find("adr"), NULL);
	struct rusage usage;
	struct trace *trace;
	struct event ev;
	double start = now(), seconds;
	int r;

	if (trace_open(&trace, dir, err) < 0)
		return -1;
	while ((r = trace_next(trace, &ev, err)) > 0)
		image_apply(image, &ev);
	seconds = now() - start;
	getrusage(RUSAGE_SELF, &usage);
	printf("%lu events  %.3f s  %.1f million events/s  %ld MB\n", (unsigned long)image_events(image), seconds,
	       (double)image_events(image) / seconds / 1e6, usage.ru_maxrss / 1024);
	image_free(image);
	trace_close(trace);
	return r;
}

int main(int argc, char **argv)
{
	struct origin *origin = origin_new();
	struct image *image = pool_make(origin);
	struct err err;

	measure_digests(image);
	if (measure_loads(image, origin, &err) < 0 || (argc > 1 && measure_recording(argv[1], &err) < 0)) {
		fprintf(stderr, "%s\n", err.sentence);
		return 3;
	}
	image_free(image);
	origin_free(origin);
	return 0;
}
