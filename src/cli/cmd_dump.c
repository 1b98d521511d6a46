/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmd_dump.c - `blackout dump`: print a recording as text, one line per event, or as counts. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/vec.h"
#include "cli/command.h"
#include "cli/dump.h"
#include "cli/layers.h"
#include "cli/option.h"
#include "trace/op.h"

#define THREAD_COLUMN 10
#define OP_COLUMN 15
#define WHERE_COLUMN 72

static bool source, stack, transactions, counts, reads, invariants;
static const char *events;

static const struct option options[] = {
	{"events", "LIST", NULL, "print only these events: comma-separated names, as in the third column", OPTION_TEXT,
	 &events},
	{"no-source", NULL, NULL, "do not look up functions and lines; much faster", OPTION_UNSET, &source},
	{"stack", NULL, NULL, "print the whole stack under each event", OPTION_FLAG, &stack},
	{"transactions", NULL, NULL,
	 "print the calls of libpmemobj, too, that are recorded for the detector transactions", OPTION_FLAG,
	 &transactions},
	{"stats", NULL, NULL, "print counts by kind of event, thread, file, source line and copy routine", OPTION_FLAG,
	 &counts},
	{"reads", NULL, NULL, "print the loads that other accesses depend on; needs record --dependencies", OPTION_FLAG,
	 &reads},
	{"invariants", NULL, NULL,
	 "print which stores should likely persist before which others; needs record --dependencies", OPTION_FLAG,
	 &invariants},
	{0},
};

const struct usage usage_dump = {
	.command = "dump",
	.operands = "[DIR]",
	.about = "Print the recording in DIR (default: blackout.out) as text. Each event is a\n"
		 "line: number, thread, name and operands, function and source line.",
	.options = options,
	.operand = OPERAND_RECORDING,
	.operands_max = 1,
};

/* The state of a running dump. */
struct dump {
	struct out *out;
	const char *dir;
	struct trace *trace;
	struct symbols *symbols; /* NULL: no source */
	bool wanted[OP_COUNT];
	VEC_OF(const char *) where; /* text of the innermost frame, indexed by context; NULL: not made yet */
	struct arena texts;
};

static int events_select(bool *wanted, struct err *err)
{
	if (!events) {
		memset(wanted, true, OP_COUNT);
		return 0;
	}
	for (const char *name = events; *name;) {
		size_t length = strcspn(name, ",");
		enum op op = op_find(name, length);

		if (op == OP_COUNT && length) {
			err_set(err, "there is no event '%.*s'", (int)(length < 100 ? length : 100), name);
			err_hint(err, "see EVENTS in blackout-dump(1)");
			return err_status(err, ERR_USAGE);
		}
		if (length)
			wanted[op] = true;
		name += length + (name[length] == ',');
	}
	return 0;
}

/* ---- events ---- */

static const char *dump_where(struct dump *d, uint32_t context)
{
	while (d->where.count <= context)
		vec_push(&d->where, NULL);
	if (!d->where.at[context]) {
		const struct symbols_frame *frame = symbols_innermost(d->symbols, d->trace, context);
		char text[1024] = "";

		if (frame)
			symbols_frame_text(frame, text, sizeof(text));
		d->where.at[context] = arena_copy(&d->texts, text, strlen(text));
	}
	return d->where.at[context];
}

static void print_stack(struct dump *d, uint32_t context)
{
	const struct symbols_frame *const *frames;
	size_t count = symbols_stack(d->symbols, d->trace, context, &frames);

	for (size_t i = 0; i < count; i++) {
		char text[1024];

		symbols_frame_text(frames[i], text, sizeof(text));
		out_pad(d->out, OP_COLUMN);
		out_text(d->out, i ? "by " : "at ");
		out_text(d->out, text);
		if (frames[i]->line) {
			out_text(d->out, " (");
			out_text(d->out, frames[i]->module);
			out_text(d->out, frames[i]->inlined ? ", inlined)" : ")");
		}
		out_char(d->out, '\n');
	}
}

static void print_event(struct dump *d, const struct event *ev, uint64_t number)
{
	out_char(d->out, '#');
	out_number(d->out, number);
	out_pad(d->out, THREAD_COLUMN);
	out_char(d->out, 't');
	out_number(d->out, ev->thread);
	out_pad(d->out, OP_COLUMN);
	dump_event(d->out, d->trace, ev);
	if (d->symbols && ev->context) {
		out_pad(d->out, WHERE_COLUMN);
		out_text(d->out, dump_where(d, ev->context));
	}
	out_char(d->out, '\n');
	if (stack && d->symbols)
		print_stack(d, ev->context);
}

static int print_events(struct dump *d, struct err *err)
{
	struct event ev;
	uint64_t number = 0;
	int more;

	while ((more = trace_next(d->trace, &ev, err)) > 0 && !out_failed(d->out)) {
		number++;
		if (d->wanted[op_of(&ev)] && (transactions || !event_is_watched(&ev)))
			print_event(d, &ev, number);
	}
	return more < 0 ? -1 : 0;
}

/* ---- the command ---- */

static int print_counts(struct dump *d, struct err *err)
{
	struct stats *stats = stats_open();
	int result = stats_read(stats, d->trace, err);

	dump_stats(d->out, d->dir, d->trace, stats, d->symbols);
	stats_close(stats);
	return result;
}

static int print_reads(struct dump *d, struct err *err)
{
	struct event ev;
	int more;

	while ((more = trace_next(d->trace, &ev, err)) > 0)
		continue;
	dump_reads(d->out, d->trace, d->symbols);
	return more;
}

/* On stderr, so that standard output has only the dump. */
static void print_problems(const struct dump *d)
{
	enum symbols_state state;
	const char *path;
	size_t at = 0;

	if (trace_layers_unknown(d->trace))
		fputs("note: " TRACE_LAYERS_UNKNOWN "\n", stderr);
	while (d->symbols && (path = symbols_problem(d->symbols, &at, &state)))
		fprintf(stderr, "note: %s %s\n", path, symbols_state_text(state));
}

static int layers_check(const struct dump *d, struct err *err)
{
	if ((!reads && !invariants) || trace_layers(d->trace) & BO_LAYER_DEPENDENCIES)
		return 0;
	return layers_refuse(d->dir, BO_LAYER_DEPENDENCIES, reads ? "--reads" : "--invariants", err);
}

static int print_wanted(struct dump *d, struct err *err)
{
	if (counts)
		return print_counts(d, err);
	if (reads)
		return print_reads(d, err);
	return invariants ? dump_invariants(d->out, d->trace, d->symbols, err) : print_events(d, err);
}

static int dump_run(struct dump *d, struct err *err)
{
	struct err write_err;

	if (trace_open(&d->trace, d->dir, err) < 0)
		return -1;
	if (layers_check(d, err) < 0) {
		trace_close(d->trace);
		return -1;
	}
	d->out = out_open(STDOUT_FILENO);
	d->symbols = source ? symbols_open(NULL) : NULL;
	int result = print_wanted(d, err);
	/* Output from before the damage must appear before the message about it. */
	bool unwanted = out_failed(d->out);
	if (out_close(d->out, &write_err) < 0 && result == 0) {
		*err = write_err;
		result = -1;
	}
	if (!unwanted)
		print_problems(d);
	symbols_close(d->symbols);
	arena_free(&d->texts);
	vec_free(&d->where);
	trace_close(d->trace);
	return result;
}

int cmd_dump(int argc, char **argv)
{
	int status, first = option_parse(&usage_dump, argc, argv, &status);
	struct dump dump = {0};
	struct err err;

	if (!first)
		return status;
	dump.dir = first < argc ? argv[first] : "blackout.out";
	if (events_select(dump.wanted, &err) < 0 || dump_run(&dump, &err) < 0)
		return command_fail(&err);
	return STATUS_DONE;
}
