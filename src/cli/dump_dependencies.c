/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dump_dependencies.c - print what accesses depend on, and the reads that others depend on.  Scripts rely on the
 * format, which blackout-dump(1) describes. */
#include <stdlib.h>

#include "base/mem.h"
#include "cli/dump.h"

#define PLACE_COLUMN 8
#define SOURCE_COLUMN 36

static int place_compare(const void *left, const void *right)
{
	const struct trace_read *a = *(const struct trace_read *const *)left,
				*b = *(const struct trace_read *const *)right;

	if (a->file != b->file)
		return a->file < b->file ? -1 : 1;
	if (a->offset != b->offset)
		return a->offset < b->offset ? -1 : 1;
	return a->size < b->size ? -1 : a->size > b->size;
}

static void print_read_place(struct out *out, const struct trace *trace, const struct trace_read *read,
			     char before_size)
{
	dump_place(out, trace, read->file, read->offset);
	out_char(out, before_size);
	out_number(out, read->size);
}

/* The places, sorted.  A place that different code has read is printed once. */
static void print_label(struct out *out, const struct trace *trace, const char *name, uint32_t id)
{
	struct trace_label label = trace_label(trace, id);
	const struct trace_read **reads = mem_alloc((label.count + 1) * sizeof(*reads));

	for (size_t i = 0; i < label.count; i++)
		reads[i] = trace_read(trace, label.reads[i]);
	qsort(reads, label.count, sizeof(*reads), place_compare);
	out_text(out, name);
	for (size_t i = 0; i < label.count; i++) {
		if (i && !place_compare(&reads[i - 1], &reads[i]))
			continue;
		if (i)
			out_char(out, ',');
		print_read_place(out, trace, reads[i], ':');
	}
	if (label.many)
		out_text(out, label.count ? ",many" : "many");
	free(reads);
}

void dump_dependencies(struct out *out, const struct trace *trace, const struct event *ev)
{
	if (ev->data_label)
		print_label(out, trace, " data=", ev->data_label);
	if (ev->control_label)
		print_label(out, trace, " control=", ev->control_label);
}

static void print_source(struct out *out, const struct trace *trace, struct symbols *symbols, uint32_t context)
{
	const struct symbols_frame *frame = symbols_innermost(symbols, trace, context);
	char text[1024];

	if (!frame)
		return;
	symbols_frame_text(frame, text, sizeof(text));
	out_text(out, text);
}

void dump_reads(struct out *out, const struct trace *trace, struct symbols *symbols)
{
	for (uint32_t id = 1; id <= trace_read_count(trace) && !out_failed(out); id++) {
		const struct trace_read *read = trace_read(trace, id);

		out_char(out, 'r');
		out_number(out, id);
		out_pad(out, PLACE_COLUMN);
		print_read_place(out, trace, read, ' ');
		if (symbols && read->context) {
			out_pad(out, SOURCE_COLUMN);
			print_source(out, trace, symbols, read->context);
		}
		if (symbols && read->branch) {
			out_text(out, "  branch ");
			print_source(out, trace, symbols, read->branch);
		}
		out_char(out, '\n');
	}
}
