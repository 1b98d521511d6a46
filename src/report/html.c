/* SPDX-License-Identifier: GPL-2.0-or-later */
/* html.c - report.html: one file that needs no server and no network, and shows everything even without scripts.
 *
 * All markup is made here, in C. assets/report.css has the styles; assets/report.js filters and unfolds.  The page
 * forbids itself to load anything (Content-Security-Policy), so it is safe to open no matter which names a recording
 * contains. */
#include "report/html.h"
#include "report/coverage.h"

#include <stdarg.h>
#include <string.h>

#include "report/assets.h"
#include "report/escape.h"

void html_raw(struct html *h, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vfprintf(h->out, format, args);
	va_end(args);
}

void html_text(struct html *h, const char *text)
{
	if (text)
		escape_xml_string(h->out, text);
}

void html_number(struct html *h, uint64_t number)
{
	char text[40];

	html_raw(h, "%s", grouped_text(text, number, "\xc2\xa0"));
}

/* ---- the top of the page ---- */

static void html_head(struct html *h)
{
	html_raw(
		h,
		"<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
		"<meta name=\"color-scheme\" content=\"light dark\">\n"
		"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
		"script-src 'unsafe-inline'; img-src data:\">\n"
		"<link rel=\"icon\" href=\"data:,\">\n<title>Blackout report</title>\n<style>\n");
	fputs(asset_css, h->out);
	html_raw(h, "</style>\n</head>\n<body>\n");
}

static void html_fact(struct html *h, const char *name, const char *const *texts, size_t count)
{
	if (!count)
		return;
	html_raw(h, "<div><dt>%s</dt><dd>", name);
	for (size_t i = 0; i < count; i++) {
		html_raw(h, "%s<code>", i ? " " : "");
		html_text(h, texts[i]);
		html_raw(h, "</code>");
	}
	html_raw(h, "</dd></div>\n");
}

static void html_figure(struct html *h, const char *one, const char *many, struct findings_figure figure, bool *first)
{
	if (!figure.known)
		return;
	html_raw(h, "%s<b>", *first ? "" : ", ");
	if (figure.large) {
		char text[40];

		html_raw(h, "%s", figure_text(text, figure, ""));
	} else {
		html_number(h, figure.value);
	}
	html_raw(h, "</b>\xc2\xa0%s", figure.value == 1 ? one : many);
	*first = false;
}

static void html_recorded(struct html *h, const struct findings_stats *stats)
{
	bool first = true;

	html_raw(h, "<div><dt>recorded</dt><dd>");
	html_figure(h, "store", "stores", stats->stores, &first);
	html_figure(h, "flush", "flushes", stats->flushes, &first);
	html_figure(h, "fence", "fences", stats->fences, &first);
	html_figure(h, "load", "loads", stats->loads, &first);
	html_figure(h, "thread", "threads", stats->threads, &first);
	html_raw(h, "%s</dd></div>\n", first ? "not counted" : "");
}

static void html_tested(struct html *h, const struct findings *findings)
{
	const struct findings_stats *stats = &findings->stats;
	char covered[COVERAGE_MAX];
	bool first = true;

	if (!stats->crash_states.tested.known)
		return;
	html_raw(h, "<div><dt>tested</dt><dd>");
	html_figure(h, "crash state", "crash states", stats->crash_states.tested, &first);
	html_figure(h, "of them failed", "of them failed", stats->crash_states.failed, &first);
	html_figure(h, "failure point", "failure points", stats->failure_points.unique, &first);
	html_figure(h, "recovery recorded", "recoveries recorded", stats->races.recoveries, &first);
	coverage_text(findings, covered);
	html_raw(h, "<br>");
	html_text(h, covered);
	html_raw(h, "</dd></div>\n");
}

static void html_searched(struct html *h, const struct findings_stats *stats)
{
	bool first = true;

	if (!stats->search.executions.known)
		return;
	html_raw(h, "<div><dt>searched</dt><dd>");
	html_figure(h, "execution", "executions", stats->search.executions, &first);
	html_figure(h, "input kept", "inputs kept", stats->search.inputs, &first);
	html_figure(h, "branch", "branches", stats->search.branches, &first);
	html_figure(h, "of ", "of ", stats->search.pm_reached, &first);
	first = true;
	html_figure(h, "known PM-modifying instruction reached", "known PM-modifying instructions reached",
		    stats->search.pm_known, &first);
	html_raw(h, "</dd></div>\n");
}

static void html_counted(struct html *h, const struct findings *findings)
{
	const struct findings_stats *stats = &findings->stats;
	bool first = true;

	if (!stats->crash_states.feasible.known)
		return;
	html_raw(h, "<div><dt>counted</dt><dd>");
	html_figure(h, "feasible crash state", "feasible crash states", stats->crash_states.feasible, &first);
	html_figure(h, "segment", "segments", stats->segments.total, &first);
	html_figure(h, "with code of its own", "with different code", stats->segments.unique, &first);
	if (!stats->crash_states.tested.known)
		html_figure(h, "different content", "different contents", stats->crash_states.distinct, &first);
	html_raw(h, "</dd></div>\n");
}

static void html_header(struct html *h, const struct findings *findings)
{
	const struct findings_target *target = &findings->target;

	html_raw(h, "<header>\n<h1>Blackout <span>report</span></h1>\n<dl class=\"facts\">\n");
	html_fact(h, "command", target->command.at, target->command.count);
	html_fact(h, "PM files", target->pm.at, target->pm.count);
	html_fact(h, "platform", target->platforms.at, target->platforms.count);
	html_fact(h, "recovery", &target->recover, target->recover != NULL);
	html_fact(h, "client", &target->client, target->client != NULL);
	html_recorded(h, &findings->stats);
	html_tested(h, findings);
	html_searched(h, &findings->stats);
	html_counted(h, findings);
	html_operations(h, findings);
	html_raw(h, "</dl>\n");
	if (!target->recover)
		html_raw(
			h,
			"<p class=\"remark\">Crash states were not tested: <code>--recover</code> was not given.</p>\n");
	if (target->mode && strchr(target->mode, ':')) {
		html_raw(h, "<p class=\"remark\">Recovery mode is ");
		html_text(h, target->mode);
		html_raw(h, "</p>\n");
	}
	for (size_t i = 0; i < findings->warnings.count; i++) {
		html_raw(h, "<p class=\"alarm\">Warning: ");
		html_text(h, findings->warnings.at[i]);
		html_raw(h, "</p>\n");
	}
	for (size_t i = 0; i < findings->notes.count; i++) {
		html_raw(h, "<p class=\"remark\">");
		html_text(h, findings->notes.at[i]);
		html_raw(h, "</p>\n");
	}
	html_raw(h, "</header>\n");
}

/* ---- summary and filter ---- */

static void html_tile(struct html *h, const char *severity, const char *name, size_t count)
{
	html_raw(
		h,
		"<label class=\"tile %s\"><input type=\"checkbox\" data-severity=\"%s\"%s><b>%zu</b><span>%s</span></label>\n",
		severity, severity, strcmp(severity, "suppressed") ? " checked" : "", count, name);
}

static bool frame_file_before(const struct findings *findings, size_t index, const char *file)
{
	for (size_t i = 0; i < index; i++) {
		const struct finding_frame *frame = stack_location(&findings->at[i].stack);

		if (frame && frame->file && !strcmp(frame->file, file))
			return true;
	}
	return false;
}

static void html_option(struct html *h, const char *value)
{
	html_raw(h, "<option value=\"");
	html_text(h, value);
	html_raw(h, "\">");
	html_text(h, value);
	html_raw(h, "</option>\n");
}

static bool kind_found(const struct findings *findings, enum finding_kind kind)
{
	for (size_t i = 0; i < findings->count; i++)
		if (findings->at[i].kind == kind)
			return true;
	return false;
}

static void html_filter(struct html *h, const struct findings *findings)
{
	html_raw(
		h,
		"<nav class=\"filter\" aria-label=\"filter\">\n<select id=\"kind\" aria-label=\"kind\"><option value=\"\">all kinds</option>\n");
	for (unsigned kind = 0; kind < kind_count(); kind++)
		if (kind_found(findings, (enum finding_kind)kind))
			html_option(h, kind_get((enum finding_kind)kind)->name);
	html_raw(h, "</select>\n<select id=\"file\" aria-label=\"file\"><option value=\"\">all files</option>\n");
	for (size_t i = 0; i < findings->count; i++) {
		const struct finding_frame *frame = stack_location(&findings->at[i].stack);

		if (frame && frame->file && !frame_file_before(findings, i, frame->file))
			html_option(h, frame->file);
	}
	html_raw(h,
		 "</select>\n<input id=\"text\" type=\"search\" placeholder=\"search\" aria-label=\"search\">\n"
		 "<button id=\"unfold\" type=\"button\">unfold all</button>\n<output id=\"shown\"></output>\n</nav>\n");
}

static void html_summary(struct html *h, const struct findings *findings)
{
	html_raw(h, "<section class=\"tiles\" aria-label=\"summary\">\n");
	html_tile(h, "error", "errors", findings_count(findings, SEVERITY_ERROR));
	html_tile(h, "performance", "performance", findings_count(findings, SEVERITY_PERFORMANCE));
	html_tile(h, "warning", "warnings", findings_count(findings, SEVERITY_WARNING));
	html_tile(h, "suppressed", "suppressed", findings_silenced(findings));
	html_raw(h, "</section>\n");
}

void html_write(const struct findings *findings, FILE *out)
{
	struct html h = {.out = out, .sources = sources_new(), .operations = findings->stats.operations.total.value};

	html_head(&h);
	html_header(&h, findings);
	html_summary(&h, findings);
	if (findings->count)
		html_filter(&h, findings);
	html_raw(&h, "<main>\n");
	for (size_t i = 0; i < findings->count; i++)
		html_finding(&h, &findings->at[i]);
	if (!findings->count)
		html_raw(&h, "<p class=\"nothing\">Nothing was found.</p>\n");
	html_raw(
		&h,
		"<p class=\"nothing\" id=\"none\" hidden>No finding matches the filter.</p>\n</main>\n<footer>Blackout ");
	html_text(&h, findings->tool_version);
	html_raw(&h, "</footer>\n<script>\n");
	fputs(asset_js, out);
	html_raw(&h, "</script>\n</body>\n</html>\n");
	sources_free(h.sources);
}
