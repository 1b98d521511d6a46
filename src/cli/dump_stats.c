/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dump_stats.c - `blackout dump --stats`: print the counts of a recording as tables. */
#include <glob.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/path.h"
#include "cli/dump.h"
#include "expression/expressions.h"

#define LABEL_COLUMN 18
#define NUMBER_WIDTH 14
#define LINES_MAX 25 /* limit for the lists of source lines and of copy routines */

static uint64_t disk_bytes(const char *dir)
{
	char pattern[4096];
	uint64_t total = 0;
	glob_t found;

	if (!path_format(pattern, sizeof(pattern), "%s/trace/*.bo", dir) || glob(pattern, 0, NULL, &found) != 0)
		return 0;
	for (size_t i = 0; i < found.gl_pathc; i++) {
		struct stat st;

		if (stat(found.gl_pathv[i], &st) == 0)
			total += (uint64_t)st.st_blocks * 512 < (uint64_t)st.st_size ? (uint64_t)st.st_blocks * 512
										     : (uint64_t)st.st_size;
	}
	globfree(&found);
	return total;
}

static void print_label(struct out *out, const char *label)
{
	out_text(out, label);
	out_pad(out, LABEL_COLUMN);
}

static void print_fact(struct out *out, const struct trace *trace, const char *label, const char *key)
{
	const char *value = trace_meta(trace, key);

	if (!value || !*value)
		return;
	print_label(out, label);
	out_text(out, value);
	out_char(out, '\n');
}

static void print_counted(struct out *out, uint64_t count, const char *noun, bool last)
{
	out_grouped(out, count, 0);
	out_char(out, ' ');
	out_text(out, noun);
	if (count != 1)
		out_char(out, 's');
	out_text(out, last ? "\n" : ", ");
}

/* Bytes per record, without the contents of files, whose size does not depend on the records. */
static void print_size(struct out *out, const char *dir, const struct trace *trace, const struct stats_summary *s)
{
	uint64_t bytes = trace_bytes(trace), records = trace_records(trace);
	uint64_t rest = bytes > s->content_bytes ? bytes - s->content_bytes : 0;
	char text[64];

	print_label(out, "size");
	print_counted(out, disk_bytes(dir), "byte", false);
	print_counted(out, records, "record", false);
	if (s->content_bytes) {
		out_grouped(out, s->content_bytes, 0);
		out_text(out, " bytes of file content, ");
	}
	snprintf(text, sizeof(text), "%.2f bytes per record%s\n", records ? (double)rest / (double)records : 0.0,
		 s->content_bytes ? " besides" : "");
	out_text(out, text);
}

static void print_head(struct out *out, const char *dir, const struct trace *trace, const struct stats_summary *s)
{
	print_label(out, "recording");
	out_text(out, dir);
	out_text(out, trace_sealed(trace) ? "\n" : ", cut off: its writer was killed\n");
	print_fact(out, trace, "outcome", "outcome");
	print_fact(out, trace, "stopped", "stopped");
	print_size(out, dir, trace, s);
	print_label(out, "of");
	print_counted(out, s->processes, s->processes == 1 ? "process" : "processe", false);
	print_counted(out, s->threads, "thread", false);
	print_counted(out, s->files, "file", false);
	print_counted(out, s->modules, "module", false);
	print_counted(out, s->contexts, "context", true);
	print_fact(out, trace, "flushes offered", "cpu.offered");
	print_fact(out, trace, "hidden", "cpu.hidden");
}

static void print_heading(struct out *out, const char *label, const char *const *columns)
{
	out_char(out, '\n');
	out_text(out, label);
	for (size_t end = LABEL_COLUMN + NUMBER_WIDTH; *columns; columns++, end += NUMBER_WIDTH) {
		out_pad(out, end - strlen(*columns));
		out_text(out, *columns);
	}
	out_char(out, '\n');
}

static void print_ops(struct out *out, const struct stats *stats, const struct stats_summary *s)
{
	static const char *const columns[] = {"count", "bytes", NULL};

	print_heading(out, "event", columns);
	for (unsigned op = 0; op < OP_COUNT; op++) {
		uint64_t count = stats_count(stats, (enum op)op), bytes = stats_bytes(stats, (enum op)op);

		if (!count)
			continue;
		print_label(out, op_name((enum op)op));
		out_grouped(out, count, NUMBER_WIDTH);
		if (bytes)
			out_grouped(out, bytes, NUMBER_WIDTH);
		out_char(out, '\n');
	}
	print_label(out, "all");
	out_grouped(out, s->events, NUMBER_WIDTH);
	out_char(out, '\n');
	if (s->flushes_volatile) {
		out_text(out, "of the flushes, outside PM: ");
		out_grouped(out, s->flushes_volatile, 0);
		out_char(out, '\n');
	}
}

static void print_threads(struct out *out, const struct trace *trace, const struct stats *stats)
{
	static const char *const columns[] = {"stores", "flushes", "fences", "locked", "loads", NULL};
	static const enum op_group groups[] = {OP_STORES, OP_FLUSHES, OP_FENCES, OP_LOCKEDS, OP_LOADS};

	print_heading(out, "thread", columns);
	for (uint32_t thread = 1; thread <= trace_thread_count(trace); thread++) {
		uint64_t counts[OP_GROUP_COUNT] = {0};

		for (unsigned op = 0; op < OP_COUNT; op++)
			counts[op_group((enum op)op)] += stats_thread_count(stats, thread, (enum op)op);
		out_char(out, 't');
		out_number(out, thread);
		out_pad(out, LABEL_COLUMN);
		for (size_t i = 0; i < sizeof(groups) / sizeof(*groups); i++)
			out_grouped(out, counts[groups[i]], NUMBER_WIDTH);
		out_char(out, '\n');
	}
}

static void print_dependent(struct out *out, const char *what, struct stats_dependent dependent)
{
	print_label(out, what);
	out_grouped(out, dependent.data, NUMBER_WIDTH);
	out_grouped(out, dependent.control, NUMBER_WIDTH);
	out_char(out, '\n');
}

/* What the recorder could not follow is a fact for each kind of operation. */
/* All facts whose keys begin so. */
static void print_facts(struct out *out, const struct trace *trace, const char *prefix)
{
	const char *key, *value;

	for (size_t i = 0; (key = trace_meta_at(trace, i, &value)); i++)
		if (!strncmp(key, prefix, strlen(prefix)))
			print_fact(out, trace, key, key);
}

static void print_dependencies(struct out *out, const struct trace *trace, const struct stats *stats)
{
	static const char *const columns[] = {"on data", "on control", NULL};
	uint64_t many = 0;

	for (uint32_t id = 1; id <= trace_label_count(trace); id++)
		many += trace_label(trace, id).many;
	print_heading(out, "dependencies", columns);
	print_dependent(out, "stores", stats_dependent(stats, OP_STORES));
	print_dependent(out, "loads", stats_dependent(stats, OP_LOADS));
	print_label(out, "of");
	print_counted(out, trace_read_count(trace), "read", false);
	print_counted(out, trace_label_count(trace), "label", false);
	out_grouped(out, many, 0);
	out_text(out, " of them with more reads than are kept\n");
	print_fact(out, trace, "recorder", BO_META_DEPENDENCIES);
	print_facts(out, trace, BO_META_LOST);
}

/* What branches depend on, and what was not followed. */
static void print_inputs(struct out *out, const struct trace *trace)
{
	static const char *const no_columns[] = {NULL};
	const struct expressions *x = trace_expressions(trace);

	print_heading(out, "input", no_columns);
	print_label(out, "of");
	print_counted(out, expressions_source_count(x), "source", false);
	print_counted(out, expressions_count(x), "expression", true);
	print_facts(out, trace, BO_META_CONCRETE);
	print_facts(out, trace, BO_META_WRONG);
}

static void print_files(struct out *out, const struct trace *trace, const struct stats *stats)
{
	static const char *const columns[] = {"stores", "bytes", "flushes", "writes", NULL};

	print_heading(out, "file", columns);
	for (uint32_t id = 1; id <= trace_file_count(trace); id++) {
		const struct trace_file *file = trace_file(trace, id);
		struct stats_file counts = stats_file(stats, id);

		out_text(out, "id=");
		out_number(out, id);
		out_pad(out, LABEL_COLUMN);
		out_grouped(out, counts.stores, NUMBER_WIDTH);
		out_grouped(out, counts.store_bytes, NUMBER_WIDTH);
		out_grouped(out, counts.flushes, NUMBER_WIDTH);
		out_grouped(out, counts.writes, NUMBER_WIDTH);
		out_text(out, "  ");
		out_word(out, file ? file->path : "?");
		out_char(out, '\n');
	}
}

static void print_rest(struct out *out, size_t count, const char *what)
{
	if (count <= LINES_MAX)
		return;
	out_text(out, "and ");
	out_grouped(out, count - LINES_MAX, 0);
	out_text(out, what);
}

static void print_lines(struct out *out, const struct trace *trace, const struct stats *stats, struct symbols *symbols)
{
	static const char *const columns[] = {"stores", "flushes", "fences", NULL};
	size_t count;
	struct stats_line *lines = stats_lines(stats, trace, symbols, &count);

	print_heading(out, "source line", columns);
	for (size_t i = 0; i < count && i < LINES_MAX; i++) {
		const struct stats_line *line = &lines[i];
		char text[512];

		out_pad(out, LABEL_COLUMN);
		out_grouped(out, line->counts[OP_STORES], NUMBER_WIDTH);
		out_grouped(out, line->counts[OP_FLUSHES], NUMBER_WIDTH);
		out_grouped(out, line->counts[OP_FENCES], NUMBER_WIDTH);
		out_text(out, "  ");
		symbols_frame_text(line->frame, text, sizeof(text));
		out_text(out, text);
		out_char(out, '\n');
	}
	print_rest(out, count, " more places\n");
	free(lines);
}

static const char *routine_kind(enum op op)
{
	return op == OP_NTSTORE ? "-byte non-temporal" : op == OP_REPSTORE ? "-byte rep" : "-byte";
}

static void print_routines(struct out *out, const struct trace *trace, const struct stats *stats,
			   struct symbols *symbols)
{
	static const char *const columns[] = {"stores", "bytes", NULL};
	size_t count;
	struct stats_routine *routines = stats_routines(stats, trace, symbols, &count);

	if (count)
		print_heading(out, "copied by", columns);
	for (size_t i = 0; i < count && i < LINES_MAX; i++) {
		const struct stats_routine *r = &routines[i];

		out_pad(out, LABEL_COLUMN);
		out_grouped(out, r->stores, NUMBER_WIDTH);
		out_grouped(out, r->bytes, NUMBER_WIDTH);
		out_text(out, "  ");
		out_text(out, r->frame->module);
		out_char(out, ' ');
		out_text(out, r->frame->function ? r->frame->function : "(no symbol)");
		out_text(out, ": ");
		out_number(out, r->width);
		out_text(out, routine_kind(r->op));
		out_char(out, '\n');
	}
	print_rest(out, count, " more routines\n");
	free(routines);
}

void dump_stats(struct out *out, const char *dir, const struct trace *trace, const struct stats *stats,
		struct symbols *symbols)
{
	struct stats_summary summary;

	stats_summarize(stats, trace, &summary);
	print_head(out, dir, trace, &summary);
	print_ops(out, stats, &summary);
	print_threads(out, trace, stats);
	print_files(out, trace, stats);
	if (trace_layers(trace) & BO_LAYER_DEPENDENCIES)
		print_dependencies(out, trace, stats);
	if (trace_layers(trace) & BO_LAYER_INPUTS)
		print_inputs(out, trace);
	if (!symbols)
		return;
	print_lines(out, trace, stats, symbols);
	print_routines(out, trace, stats, symbols);
}
