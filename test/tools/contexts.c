/* SPDX-License-Identifier: GPL-2.0-or-later */
/* contexts.c - prints the recorded calling context of each sample of test/targets/contexts.h: "NUMBER FRAME FRAME ...",
 * innermost first.  A frame is MODULE+0xOFFSET in the module's file.
 *
 *     contexts DIR */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "trace/trace.h"

#define SAMPLE_VALUE 0x73616d706c65ul /* "sample", in the bits above the number */

static void print_frames(const struct trace *trace, uint32_t id)
{
	const struct trace_context *context;

	for (; id; id = context->parent) {
		const struct trace_module *module;
		const char *slash;

		context = trace_context(trace, id);
		module = trace_module(trace, context->module);
		slash = strrchr(module->path, '/');
		printf(" %s+0x%" PRIx64, slash ? slash + 1 : module->path, context->offset);
	}
	putchar('\n');
}

int main(int argc, char **argv)
{
	struct trace *trace;
	struct event ev;
	struct err err;
	int r;

	if (argc != 2 || trace_open(&trace, argv[1], &err) < 0) {
		fprintf(stderr, "contexts: %s\n", argc != 2 ? "usage: contexts DIR" : err.sentence);
		return 3;
	}
	while ((r = trace_next(trace, &ev, &err)) > 0) {
		uint64_t value;

		if (ev.type != EVENT_STORE || ev.size != sizeof(value))
			continue;
		memcpy(&value, ev.data, sizeof(value));
		if (value >> 16 != SAMPLE_VALUE)
			continue;
		printf("%" PRIu64, value & 0xffff);
		print_frames(trace, ev.context);
	}
	if (r < 0)
		fprintf(stderr, "contexts: %s\n", err.sentence);
	trace_close(trace);
	return r < 0 ? 3 : 0;
}
