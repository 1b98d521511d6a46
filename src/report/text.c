/* SPDX-License-Identifier: GPL-2.0-or-later */
/* text.c - findings for a person at a terminal.
 *
 *     recorded 1 842 PM stores, 611 flushes, 304 fences in 2 threads         1.9 s
 *       in /home/me/pool
 *
 *     F1  missing-flush    kv.c:118 in bucket_insert  (error, 12 times)
 *         8 bytes stored here are not written back when the program ends; their line is at other
 *         times, at kv.c:130
 *         from: kv_put kv.c:171, main kv.c:262
 *         fix: persist what is stored at kv.c:118
 *
 *     F2  recovery-crash     kv.c:118 in bucket_insert  (error, 12 states)
 *         the store at kv.c:121 can be on media while this one is not: both are flushed, but no fence
 *         separates them
 *         power fails: before the sfence at kv.c:123
 *         on media: 8 bytes at pool+0x40 = 0x1 (kv.c:121), flushed at kv.c:122
 *         lost: 8 bytes at pool+0x80 = 0x2a (kv.c:118), flushed at kv.c:119
 *         recovery: SIGSEGV in kv_check (kv.c:402) on 12 crash states
 *         fix: fence after the flush at kv.c:119, before the store at kv.c:121
 *         replay: blackout replay blackout.out F2
 *
 *     1 error, 0 performance, 0 warnings, 0 suppressed. Report: blackout.out/report.html
 */
#include <inttypes.h>
#include <string.h>

#include "report/coverage.h"
#include "report/text_out.h"

#define WIDTH_MIN 30u
#define TIME_COLUMN 71u
#define KIND_COLUMN 17u /* the usual width of a kind; a longer one moves its place to the right */
#define CALLERS_MAX 4u
#define FILES_MAX 8u
#define RATE_STATES_MIN 100u

static enum style severity_style(enum severity severity)
{
	switch (severity) {
	case SEVERITY_ERROR: return STYLE_RED;
	case SEVERITY_PERFORMANCE: return STYLE_CYAN;
	default: return STYLE_YELLOW;
	}
}

/* ---- a finding ---- */

/* One past the last frame of the user's own code: the frames that started main do not matter. */
static size_t own_end(const struct finding_stack *stack)
{
	size_t end = stack->count;

	while (end && !stack->frames[end - 1].own)
		end--;
	return end;
}

/* The first frame that led to the location.  If the location is in a library, the user's code that called the
 * library. */
static size_t callers_begin(const struct finding_stack *stack)
{
	size_t begin = stack->location + 1;

	if (begin > stack->count || stack->frames[stack->location].own || begin >= own_end(stack))
		return begin;
	while (!stack->frames[begin].own)
		begin++;
	return begin;
}

/* If there are more than CALLERS_MAX frames, print the first `head` ones and as many of the last as fit. */
static void text_frames(struct text *t, const char *label, const struct finding_stack *stack, size_t from, size_t to,
			size_t head)
{
	char line[CALLERS_MAX * 300 + 8], place[280];
	size_t used = 0, shown = 0, gap = from + CALLERS_MAX < to ? to - from - CALLERS_MAX : 0;

	for (size_t i = from; i < to; i++, shown++) {
		const struct finding_frame *frame;

		if (gap && shown == head) {
			used += (size_t)snprintf(line + used, sizeof(line) - used, ", ...");
			i += gap;
			if (i == to)
				break;
		}
		frame = &stack->frames[i];
		if (frame->function && frame->file && frame->line) {
			char function[140], file[100];

			function_plain(function, sizeof(function), frame->function);
			text_plain(file, sizeof(file), frame->file);
			snprintf(place, sizeof(place), "%s %s:%" PRIu32, function, file, frame->line);
		} else {
			frame_place(frame, place, sizeof(place));
		}
		used += (size_t)snprintf(line + used, sizeof(line) - used, "%s%s", shown ? ", " : "", place);
	}
	if (shown)
		text_paragraph(t, label, line);
}

static void text_heading(struct text *t, const struct finding *finding)
{
	char place[600], times[80], number[40];

	text_style(t, STYLE_BOLD);
	text_print(t, finding->id);
	text_style(t, STYLE_PLAIN);
	text_pad(t, INDENT);
	if (t->column > INDENT)
		text_put(t, " ", 1);
	unsigned kind = t->column;
	text_style(t, severity_style(finding->severity));
	text_print(t, kind_get(finding->kind)->name);
	text_style(t, STYLE_PLAIN);
	text_pad(t, kind + KIND_COLUMN);
	text_put(t, "  ", 2);
	frame_text(stack_location(&finding->stack), place, sizeof(place));
	text_style(t, STYLE_BOLD);
	text_wrap(t, place, INDENT);
	text_style(t, STYLE_PLAIN);
	snprintf(times, sizeof(times), "(%s, %s %s%s)", severity_name(finding->severity),
		 grouped_text(number, finding->count, " "), finding->crash ? "state" : "time",
		 finding->count == 1 ? "" : "s");
	if (t->column + 2 + strlen(times) > t->width) {
		text_newline(t);
		text_pad(t, INDENT);
	} else {
		text_put(t, "  ", 2);
	}
	text_style(t, STYLE_DIM);
	text_print(t, times);
	text_style(t, STYLE_PLAIN);
	text_newline(t);
}

/* The places where recovery reads what is stored, if there are more than the one that the sentence names. */
static void text_loads(struct text *t, const struct finding *finding)
{
	char line[4096] = "", place[600];
	size_t used = 0, loads = 0;

	for (size_t i = 0; i < finding->related_count && used < sizeof(line); i++) {
		if (finding->related[i].role != ROLE_LOAD)
			continue;
		frame_text(stack_location(&finding->related[i].stack), place, sizeof(place));
		used += (size_t)snprintf(line + used, sizeof(line) - used, "%s%s", used ? ", " : "", place);
		loads++;
	}
	if (loads > 1)
		text_paragraph(t, "read:", line);
}

/* The input of a search that shows it, and its bytes. */
static void text_input(struct text *t, const struct finding_input *input)
{
	if (!input->path)
		return;
	text_paragraph(t, "input:", input->path);
	for (size_t i = 0; i < input->line_count; i++) {
		text_style(t, STYLE_DIM);
		text_pad(t, INDENT + 2);
		text_print(t, input->lines[i]);
		text_newline(t);
	}
	text_style(t, STYLE_PLAIN);
}

static void text_finding(struct text *t, const struct finding *finding, bool platforms)
{
	size_t used = 0, callers = callers_begin(&finding->stack);
	char list[256] = "", variable[700];

	text_heading(t, finding);
	text_paragraph(t, NULL, finding->message);
	variable_text(&finding->variable, variable, sizeof(variable));
	if (*variable)
		text_paragraph(t, "variable:", variable);
	if (finding->crash)
		text_crash(t, finding);
	if (finding->kind == KIND_PERSISTENCY_RACE)
		text_loads(t, finding);
	/* The call into the library is next to the user's code; what the library did is at the other end. */
	text_frames(t, "via:", &finding->stack, 0, finding->stack.location, 1);
	text_frames(t, "via:", &finding->stack, finding->stack.location + 1, callers, 1);
	text_frames(t, "from:", &finding->stack, callers, own_end(&finding->stack), CALLERS_MAX);
	for (size_t i = 0; i < finding->platform_count && used < sizeof(list); i++)
		used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%s", i ? ", " : "",
					 finding->platforms[i]);
	if (platforms)
		text_paragraph(t, "on:", list);
	for (size_t i = 0; i < finding->also_count; i++) {
		char also[4096];

		snprintf(also, sizeof(also), "%s: %s", kind_get(finding->also[i].kind)->name, finding->also[i].message);
		text_paragraph(t, "also:", also);
	}
	text_input(t, &finding->input);
	if (finding->fix) {
		text_style(t, STYLE_PLAIN);
		text_paragraph(t, "fix:", finding->fix);
	}
	if (finding->crash)
		text_replay(t, finding);
	text_newline(t);
}

/* ---- head and foot ---- */

/* Print a time at the right: in its column, or as close to it as the line and the width allow. */
static void text_seconds(struct text *t, double time)
{
	char seconds[32];
	unsigned length = (unsigned)snprintf(seconds, sizeof(seconds), "%.1f s", time);
	unsigned column = t->column + 2 > TIME_COLUMN ? t->column + 2 : TIME_COLUMN;

	if (t->column + 2 + length > t->width)
		text_newline(t);
	text_pad(t, column + length > t->width ? t->width - length : column);
	text_print(t, seconds);
}

/* Was recovery only watched, for races, and no state judged?  The last line of the report says how often. */
static bool is_watched_only(const struct findings_stats *stats)
{
	return stats->races.recoveries.known && !stats->crash_states.tested.value;
}

/* "tested 4 117 crash states at 61 failure points, 2 210/s      1.9 s" */
static void text_tested(struct text *t, const struct findings_stats *stats)
{
	double seconds = stats->seconds.recover;
	char tested[40], points[40], rate[40], line[256];
	int used;

	if (!stats->crash_states.tested.known || is_watched_only(stats))
		return;
	used = snprintf(line, sizeof(line), "tested %s crash state%s",
			grouped_text(tested, stats->crash_states.tested.value, " "),
			stats->crash_states.tested.value == 1 ? "" : "s");
	if (stats->failure_points.unique.known)
		used += snprintf(line + used, sizeof(line) - (size_t)used, " at %s failure point%s",
				 grouped_text(points, stats->failure_points.unique.value, " "),
				 stats->failure_points.unique.value == 1 ? "" : "s");
	/* The rate of a few states says nothing: starting up takes longer than testing them.  It is computed from
	 * thousandths, which is all that findings.json keeps, so that `report` prints the same. */
	if (seconds >= 0.05 && stats->crash_states.tested.value >= RATE_STATES_MIN)
		snprintf(line + used, sizeof(line) - (size_t)used, ", %s/s",
			 grouped_text(rate, stats->crash_states.tested.value * 1000 / (uint64_t)(seconds * 1000 + 0.5),
				      " "));
	text_wrap(t, line, 0);
	if (seconds >= 0)
		text_seconds(t, seconds);
	text_newline(t);
}

/* The files that were treated as PM, each on its own line, so that it can be copied. */
static void text_searched(struct text *t, const struct findings_stats *stats)
{
	char executions[40], inputs[40], branches[40], reached[40], known[40], line[256];

	if (!stats->search.executions.known)
		return;
	snprintf(line, sizeof(line), "searched: %s execution%s, %s input%s kept, %s branch%s",
		 grouped_text(executions, stats->search.executions.value, " "),
		 stats->search.executions.value == 1 ? "" : "s", grouped_text(inputs, stats->search.inputs.value, " "),
		 stats->search.inputs.value == 1 ? "" : "s", grouped_text(branches, stats->search.branches.value, " "),
		 stats->search.branches.value == 1 ? "" : "es");
	text_print(t, line);
	if (stats->search.pm_known.known) {
		snprintf(line, sizeof(line), ", %s of %s known PM-modifying instructions reached",
			 grouped_text(reached, stats->search.pm_reached.value, " "),
			 grouped_text(known, stats->search.pm_known.value, " "));
		text_print(t, line);
	}
	text_newline(t);
}

static void text_files(struct text *t, const struct findings_target *target)
{
	for (size_t i = 0; i < target->pm.count && i < FILES_MAX; i++) {
		text_print(t, i ? "     " : "  in ");
		text_print(t, target->pm.at[i]);
		text_newline(t);
	}
	if (target->pm.count > FILES_MAX) {
		char rest[64];

		snprintf(rest, sizeof(rest), "     and %zu more", target->pm.count - FILES_MAX);
		text_print(t, rest);
		text_newline(t);
	}
}

static void text_head(struct text *t, const struct findings *findings)
{
	const struct findings_stats *stats = &findings->stats;
	char stores[40], flushes[40], fences[40], line[256];

	if (!stats->stores.known || !stats->flushes.known || !stats->fences.known || !stats->threads.known)
		return;
	snprintf(line, sizeof(line), "recorded %s PM store%s, %s flush%s, %s fence%s in %" PRIu64 " thread%s",
		 grouped_text(stores, stats->stores.value, " "), stats->stores.value == 1 ? "" : "s",
		 grouped_text(flushes, stats->flushes.value, " "), stats->flushes.value == 1 ? "" : "es",
		 grouped_text(fences, stats->fences.value, " "), stats->fences.value == 1 ? "" : "s",
		 stats->threads.value, stats->threads.value == 1 ? "" : "s");
	text_wrap(t, line, 0);
	if (stats->seconds.record >= 0)
		text_seconds(t, stats->seconds.record);
	text_newline(t);
	text_files(t, &findings->target);
	text_tested(t, stats);
	text_searched(t, stats);
	text_counted(t, stats);
	text_newline(t);
}

static void text_foot(struct text *t, const struct findings *findings, const char *dir)
{
	size_t errors = findings_count(findings, SEVERITY_ERROR);
	size_t warnings = findings_count(findings, SEVERITY_WARNING);
	char line[COVERAGE_MAX + 1024], covered[COVERAGE_MAX], report[512] = "";

	coverage_text(findings, covered);
	if (dir)
		snprintf(report, sizeof(report), " Report: %s/%s", dir, report_file(REPORT_HTML));
	snprintf(line, sizeof(line), "%zu error%s, %zu performance, %zu warning%s, %zu suppressed. %s%s", errors,
		 errors == 1 ? "" : "s", findings_count(findings, SEVERITY_PERFORMANCE), warnings,
		 warnings == 1 ? "" : "s", findings_silenced(findings), covered, report);
	text_style(t, errors || findings->warnings.count ? STYLE_RED : STYLE_GREEN);
	text_wrap(t, line, 0);
	text_style(t, STYLE_PLAIN);
	text_newline(t);
}

static void text_note(struct text *t, const char *before, const char *note)
{
	char line[4096];

	text_style(t, STYLE_DIM);
	text_print(t, "note:");
	text_style(t, STYLE_PLAIN);
	text_put(t, " ", 1);
	snprintf(line, sizeof(line), "%s%s", before, note);
	text_wrap(t, line, 6);
	text_newline(t);
}

static void text_warning(struct text *t, const char *warning)
{
	text_style(t, STYLE_RED);
	text_print(t, "warning:");
	text_style(t, STYLE_PLAIN);
	text_put(t, " ", 1);
	text_wrap(t, warning, 9);
	text_newline(t);
}

void text_write(const struct findings *findings, const struct report_options *options, FILE *out)
{
	unsigned width = options->width ? options->width : 80;
	struct text t = {.out = out,
			 .width = width < WIDTH_MIN ? WIDTH_MIN : width,
			 .color = options->color,
			 .dir = options->dir};

	text_head(&t, findings);
	for (size_t i = 0; i < findings->count; i++)
		if (finding_is_active(&findings->at[i]))
			text_finding(&t, &findings->at[i], findings->target.platforms.count > 1);
	text_segments(&t, findings);
	text_funnel(&t, &findings->stats);
	if (findings->target.mode && strchr(findings->target.mode, ':')) /* not the usual mode, and the reason */
		text_note(&t, "recovery mode is ", findings->target.mode);
	for (size_t i = 0; i < findings->warnings.count; i++)
		text_warning(&t, findings->warnings.at[i]);
	for (size_t i = 0; i < findings->notes.count; i++)
		text_note(&t, "", findings->notes.at[i]);
	text_foot(&t, findings, options->dir);
}
