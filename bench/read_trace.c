/* SPDX-License-Identifier: GPL-2.0-or-later */
// link: build/libblackout.a -lxxhash -lzstd
/* read_trace DIR [--content] - measures how fast a recording is read.  Reads every event, with addresses resolved to
 * (file, offset), and prints
 *
 *     EVENTS events  SECONDS s  RATE million events/s and core
 *
 * With --content each event is also applied to the content of the PM files. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "image/content.h"
#include "trace/trace.h"

/* Processor time, which does not depend on other processes on the machine. */
static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Returns the number of events, or -1. */
static long read_all(const char *dir, struct content *content, struct err *err)
{
	unsigned long used = 0; /* uses every field, so that none is optimized away */
	struct trace *trace;
	struct event ev;
	long events = 0;
	int r;

	if (trace_open(&trace, dir, err) < 0)
		return -1;
	while ((r = trace_next(trace, &ev, err)) > 0) {
		events++;
		used += ev.file + ev.offset + ev.context + (ev.data ? ev.data[0] : 0);
		if (content)
			content_apply(content, &ev);
	}
	trace_close(trace);
	if (used == 1)
		fprintf(stderr, "an unusual recording\n");
	return r < 0 ? -1 : events;
}

int main(int argc, char **argv)
{
	bool with_content = argc == 3 && !strcmp(argv[2], "--content");
	struct content *content = with_content ? content_new() : NULL;
	struct err err;
	double start;
	long events;

	if (argc < 2 || (argc > 2 && !with_content)) {
		fprintf(stderr, "usage: read_trace DIR [--content]\n");
		return 2;
	}
	start = now();
	events = read_all(argv[1], content, &err);
	if (events < 0) {
		fprintf(stderr, "%s\n", err.sentence);
		return 3;
	}
	printf("%ld events  %.3f s  %.1f million events/s and core\n", events, now() - start,
	       (double)events / (now() - start) / 1e6);
	content_free(content);
	return 0;
}
