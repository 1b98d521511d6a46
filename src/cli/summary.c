/* SPDX-License-Identifier: GPL-2.0-or-later */
/* summary.c - see summary.h. */
#include "cli/summary.h"

#include <string.h>

#include "trace/stats.h"

enum { FILES_SHOWN = 8, ROUTINES_SHOWN = 4 };

/* The data that the parts of a summary use. */
struct view {
	struct trace *trace;
	const struct stats *stats;
	struct symbols *symbols;
	struct stats_summary totals;
	bool started; /* the target started other programs */
	FILE *out;
};

const char *number_text(char text[32], uint64_t number)
{
	char digits[24];
	int length = snprintf(digits, sizeof(digits), "%llu", (unsigned long long)number), n = 0;

	for (int i = 0; i < length; i++) {
		if (i && (length - i) % 3 == 0)
			text[n++] = ' ';
		text[n++] = digits[i];
	}
	text[n] = 0;
	return text;
}

const char *bytes_text(char text[32], uint64_t bytes)
{
	static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
	double value = (double)bytes;
	size_t unit = 0;

	for (; value >= 1024 && unit < 4; unit++)
		value /= 1024;
	snprintf(text, 32, unit ? "%.1f %s" : "%.0f %s", value, units[unit]);
	return text;
}

static const char *plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

static void totals_print(const struct view *v, double seconds)
{
	const struct stats_summary *t = &v->totals;
	char stores[32], flushes[32], fences[32], line[200];
	int n = snprintf(line, sizeof(line), "recorded %s PM store%s, %s flush%s, %s fence%s in %u thread%s",
			 number_text(stores, t->stores), plural(t->stores), number_text(flushes, t->flushes),
			 t->flushes == 1 ? "" : "es", number_text(fences, t->fences), plural(t->fences), t->threads,
			 plural(t->threads));

	if (t->processes > 1)
		snprintf(line + n, sizeof(line) - (size_t)n, ", %u processes", t->processes);
	fprintf(v->out, "%-78s %6.1f s\n", line, seconds);
}

static void files_print(const struct view *v)
{
	char size[32];

	for (uint32_t id = 1; id <= v->totals.files && id <= FILES_SHOWN; id++) {
		const struct trace_file *file = trace_file(v->trace, id);
		fprintf(v->out, "  %-10s %s (%s, %s)\n", id == 1 ? "files" : "", file->path,
			bytes_text(size, file->size), file->created ? "created" : "existing");
	}
	if (v->totals.files > FILES_SHOWN)
		fprintf(v->out, "  %-10s and %u more\n", "", v->totals.files - FILES_SHOWN);
}

static void flushes_print(const struct view *v)
{
	static const enum op flushes[] = {OP_CLFLUSH, OP_CLFLUSHOPT, OP_CLWB};
	char count[32];
	int printed = 0;

	fprintf(v->out, "  %-10s", "flushes");
	for (size_t i = 0; i < sizeof(flushes) / sizeof(*flushes); i++)
		if (stats_count(v->stats, flushes[i]))
			fprintf(v->out, "%s %s %s", printed++ ? "," : "", op_name(flushes[i]),
				number_text(count, stats_count(v->stats, flushes[i])));
	if (v->totals.flushes_volatile)
		fprintf(v->out, ", of which %s outside PM", number_text(count, v->totals.flushes_volatile));
	fprintf(v->out, "%s\n", printed ? "" : " none");
}

static void copies_print(const struct view *v)
{
	size_t count;
	struct stats_routine *routines = stats_routines(v->stats, v->trace, v->symbols, &count);

	for (size_t i = 0; i < count && i < ROUTINES_SHOWN; i++) {
		const struct stats_routine *r = &routines[i];
		const char *name = r->frame && r->frame->function ? r->frame->function
				   : r->frame                     ? r->frame->module
								  : "?";
		fprintf(v->out, "%s%s (%s, %u bytes wide)", i ? ", " : "  copies     ", name, op_name(r->op), r->width);
	}
	if (count)
		fprintf(v->out, "%s\n", count > ROUTINES_SHOWN ? ", ..." : "");
	free(routines);
}

/* A pattern that matches nothing is most likely a mistake. */
static void unmatched_print(const struct view *v)
{
	char key[32];
	const char *pattern;

	for (unsigned i = 0; snprintf(key, sizeof(key), "calls.unmatched.%u", i), (pattern = trace_meta(v->trace, key));
	     i++)
		fprintf(v->out, "note: no function matches '%s'\n", pattern);
}

static void refused_print(const struct view *v)
{
	const char *what;

	for (unsigned i = 0; (what = trace_refused_runtime(v->trace, i)); i++)
		fprintf(v->out, "note: " TRACE_RUNTIME_REFUSED "\n", what);
}

static void target_print(const struct view *v)
{
	const char *force = trace_meta(v->trace, "pmem_force"), *offered = trace_meta(v->trace, "cpu.offered");
	const char *hidden = trace_meta(v->trace, "cpu.hidden");

	fprintf(v->out, "  %-10s %s", "target",
		force && !strcmp(force, "1") ? "PMEM_IS_PMEM_FORCE=1" : "PMEM_IS_PMEM_FORCE not set");
	if (offered && *offered)
		fprintf(v->out, "; offered %s", offered);
	if (hidden && *hidden)
		fprintf(v->out, "; hidden %s", hidden);
	fputc('\n', v->out);
}

void summary_nothing(const struct summary *s, const struct trace *trace, bool started, struct err *err)
{
	bool followed = trace_layers(trace) & BO_LAYER_FOLLOW;

	err_set(err, "the target mapped no persistent memory: nothing to record");
	if ((started || s->is_script) && !followed)
		err_hint(err, "%s were not recorded; use --follow-children",
			 s->is_script ? "the target is a script; the programs that it starts"
				      : "the programs that the target started");
	else if (s->pm_given)
		err_hint(err, "no file that the target mapped shared matches --pm");
	else
		err_hint(err, "PM files are those that the target maps shared and writable");
}

static void nothing_print(const struct view *v, const struct summary *s)
{
	struct err err;

	summary_nothing(s, v->trace, v->started, &err);
	fprintf(v->out, "%s\nhint: %s\n", err.sentence, err.hint);
}

static void view_print(const struct view *v, const struct summary *s)
{
	char size[32];

	if (!v->totals.files) {
		nothing_print(v, s);
	} else {
		totals_print(v, s->seconds);
		files_print(v);
		flushes_print(v);
		copies_print(v);
		target_print(v);
	}
	fprintf(v->out, "  %-10s %s, %s\n", "recording", s->dir, bytes_text(size, s->disk_bytes));
	unmatched_print(v);
	refused_print(v);
}

void summary_line(const struct summary *summary, struct trace *trace, const struct stats_summary *totals, bool started,
		  FILE *out)
{
	struct view v = {.trace = trace, .totals = *totals, .started = started, .out = out};

	if (v.totals.files)
		totals_print(&v, summary->seconds);
	else
		nothing_print(&v, summary);
}

void summary_print(const struct summary *summary, struct trace *trace, const struct stats *stats, FILE *out)
{
	struct view v = {.out = out, .trace = trace, .stats = stats};

	v.symbols = symbols_open(NULL);
	stats_summarize(stats, trace, &v.totals);
	v.started = stats_count(stats, OP_FORK) || stats_count(stats, OP_EXEC);
	view_print(&v, summary);
	symbols_close(v.symbols);
}
