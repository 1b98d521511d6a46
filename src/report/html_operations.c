/* SPDX-License-Identifier: GPL-2.0-or-later */
/* html_operations.c - operations in report.html: a strip of all of them with the crash marked, and what recovery should
 * have printed beside what it printed.
 *
 * The strip is as wide as the page, no matter whether there are 3 operations or 2,000.  Its coordinates are
 * percentages, so that marks keep their width in pixels and can be seen even if an operation is narrower than a
 * pixel. */
#include <inttypes.h>

#include "finding/crash_finding.h"
#include "report/html.h"

#define BAR_TOP 16u /* the numbers of the marks are above the bar */
#define BAR_HEIGHT 16u
#define TICKS_MAX 64u
#define PARTS UINT64_C(100000) /* of the width; a percent has a thousand */

/* Where operation `index` begins. */
static uint64_t strip_at(uint64_t index, uint64_t total)
{
	return (uint64_t)((long double)index / (long double)total * PARTS);
}

/* An attribute in percent; the decimal point must not depend on the locale. */
static void strip_attribute(struct html *h, const char *name, uint64_t parts)
{
	html_raw(h, " %s=\"%u.%03u%%\"", name, (unsigned)(parts / 1000), (unsigned)(parts % 1000));
}

static void strip_bar(struct html *h, const char *class, uint64_t from, uint64_t to)
{
	html_raw(h, "<rect class=\"%s\" y=\"%u\" height=\"%u\"", class, BAR_TOP, BAR_HEIGHT);
	strip_attribute(h, "x", from);
	strip_attribute(h, "width", to - from);
	html_raw(h, "/>");
}

static void strip_line(struct html *h, const char *class, uint64_t at, unsigned top)
{
	html_raw(h, "<line class=\"%s\" y1=\"%u\" y2=\"%u\"", class, top, BAR_TOP + BAR_HEIGHT);
	strip_attribute(h, "x1", at);
	strip_attribute(h, "x2", at);
	html_raw(h, "/>");
}

static void strip_open(struct html *h, const char *label)
{
	html_raw(h, "<svg class=\"strip\" width=\"100%%\" height=\"%u\" role=\"img\" aria-label=\"%s\">\n",
		 BAR_TOP + BAR_HEIGHT + 2, label);
	strip_bar(h, "ahead", 0, PARTS);
}

/* A line between operations, or between tens, hundreds ... of them if there are many. */
static void strip_ticks(struct html *h)
{
	uint64_t step = 1;

	while (h->operations / step > TICKS_MAX)
		step *= 10;
	for (uint64_t i = step; i < h->operations; i += step)
		strip_line(h, "tick", strip_at(i, h->operations), BAR_TOP);
}

/* True if the crash can be drawn: the file that findings were read from may have any numbers. */
static bool strip_has(const struct html *h, const struct finding_crash *crash)
{
	return crash && crash->operation.known && h->operations && crash->operation.index < (int64_t)h->operations;
}

/* The middle of an operation, or the border after it. */
static uint64_t crash_at(const struct html *h, const struct finding_operation *operation)
{
	uint64_t border = strip_at((uint64_t)(operation->index + 1), h->operations);

	return operation->inside ? (strip_at((uint64_t)operation->index, h->operations) + border) / 2 : border;
}

/* A mark and the text above it, which must not leave the drawing. */
static void strip_mark(struct html *h, uint64_t at, const char *text)
{
	strip_line(h, "crash", at, BAR_TOP - 3);
	html_raw(h, "<text class=\"%s\" y=\"10\"", at < PARTS / 10 ? "first" : at > PARTS * 9 / 10 ? "last" : "middle");
	strip_attribute(h, "x", at);
	html_raw(h, ">");
	html_text(h, text);
	html_raw(h, "</text>");
}

void html_operation(struct html *h, const struct finding_crash *crash)
{
	const struct finding_operation *operation = &crash->operation;
	char text[40];

	if (!strip_has(h, crash))
		return;
	uint64_t complete = (uint64_t)(operation->index + !operation->inside),
		 ahead = h->operations - complete - operation->inside;

	html_raw(h, "<h3>where in the operations</h3>\n");
	strip_open(h, "the operations, and where the power failed");
	strip_bar(h, "done", 0, strip_at(complete, h->operations));
	if (operation->inside)
		strip_bar(h, "cut", strip_at(complete, h->operations), strip_at(complete + 1, h->operations));
	strip_ticks(h);
	if (operation->index < 0)
		snprintf(text, sizeof(text), "before the first");
	else
		snprintf(text, sizeof(text), "%s %" PRId64, operation->inside ? "in" : "after", operation->index);
	strip_mark(h, crash_at(h, operation), text);
	html_raw(h, "\n</svg>\n<p class=\"about\">");
	html_number(h, complete);
	html_raw(h, complete == 1 ? " operation was complete" : " operations were complete");
	html_raw(h, operation->inside ? ", one was under way, and " : ", and ");
	html_number(h, ahead);
	html_raw(h, " had not begun.</p>\n");
}

void html_operations(struct html *h, const struct findings *findings)
{
	const struct findings_stats *stats = &findings->stats;

	if (!h->operations)
		return;
	html_raw(h, "<div><dt>operations</dt><dd><b>");
	html_number(h, h->operations);
	html_raw(h, "</b>");
	if (stats->operations.crashed_in.known) {
		html_raw(h, "; the power failed in <b>");
		html_number(h, stats->operations.crashed_in.value);
		html_raw(h, "</b> of them");
	}
	html_raw(h, "</dd></div>\n<div class=\"wide\"><dd>");
	strip_open(h, "the operations, and the first crash of each finding");
	strip_ticks(h);
	for (size_t i = 0; i < findings->count; i++) {
		const struct finding *finding = &findings->at[i];
		char text[1000];

		if (!strip_has(h, finding->crash))
			continue;
		crash_operation_text(finding->crash, text, sizeof(text));
		html_raw(h, "\n<a href=\"#");
		html_text(h, finding->id);
		html_raw(h, "\"><title>");
		html_text(h, finding->id);
		html_raw(h, ": ");
		html_text(h, text);
		html_raw(h, "</title>");
		strip_mark(h, crash_at(h, &finding->crash->operation), finding->id);
		html_raw(h, "</a>");
	}
	html_raw(h, "\n</svg></dd></div>\n");
}

static void side(struct html *h, const char *class, const char *title, const char *line)
{
	char text[2200];

	html_raw(h, "<div class=\"%s\"><h4>", class);
	html_text(h, title);
	html_raw(h, "</h4><pre class=\"source printed\">");
	text_plain(text, sizeof(text), line);
	html_text(h, *text ? text : "(empty line)");
	html_raw(h, "</pre></div>\n");
}

void html_mismatch(struct html *h, const struct finding_mismatch *mismatch)
{
	if (!mismatch->expected_count)
		return;
	html_raw(h, "<h3>the first line that differs");
	if (mismatch->line)
		html_raw(h, ", line %" PRIu64, mismatch->line);
	if (mismatch->query) {
		html_raw(h, ": the result of <code>");
		html_text(h, mismatch->query);
		html_raw(h, "</code>");
	}
	html_raw(h, "</h3>\n<div class=\"sides\">\n");
	for (size_t i = 0; i < mismatch->expected_count; i++) {
		const char *history = mismatch->expected[i].history;
		char title[300];

		snprintf(title, sizeof(title), "expected%s%s", history ? " " : "", history ? history : "");
		side(h, "expected", title, mismatch->expected[i].line);
	}
	side(h, "got", "got", mismatch->got);
	html_raw(h, "</div>\n");
}
