/* SPDX-License-Identifier: GPL-2.0-or-later */
/* html_crash.c - the story of a crash finding in report.html: a drawing of what reached media and what did not, what
 * recovery did, and how to see it again.
 *
 * There is one row per store, in program order, with its place above it.  The left side is what the program saw, in the
 * caches.  The right side is media after the crash: an arrow leads there, or is cut off if the store is lost.  A dashed
 * line under the last row marks the power failure.  The drawing fits on a page that is 400 pixels wide. */
#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "finding/crash_finding.h"
#include "report/html.h"

#define ROWS_MAX 16u
#define LABEL 14u /* height of a store's place */
#define BOX_HEIGHT 24u
#define ROW (LABEL + BOX_HEIGHT + 8)
#define TOP 24u
#define BOTTOM 30u
#define LEFT 4u
#define BOX 140u
#define GAP 54u
#define WIDTH (2 * LEFT + 2 * BOX + GAP)
#define CHARS 19u /* characters that fit into a box */
#define PLACE_CHARS 30u
#define POOL_CHARS 23u
#define FAILS_CHARS 52u

struct row {
	const struct finding_store *store;
	bool lost;
};

/* ---- the drawing ---- */

static int row_compare(const void *left, const void *right)
{
	const struct row *a = left, *b = right;

	if (a->store->event != b->store->event)
		return a->store->event < b->store->event ? -1 : 1;
	return (a->store->offset > b->store->offset) - (a->store->offset < b->store->offset);
}

/* Each of the two kinds gets half of the rows, plus rows that the other kind does not need. */
static size_t rows_collect(const struct finding_crash *crash, struct row rows[ROWS_MAX])
{
	size_t lost = crash->lost_count, kept = crash->telling_count, count = 0;

	if (lost + kept > ROWS_MAX) {
		lost = lost < ROWS_MAX / 2 ? lost : kept < ROWS_MAX / 2 ? ROWS_MAX - kept : ROWS_MAX / 2;
		kept = kept < ROWS_MAX - lost ? kept : ROWS_MAX - lost;
	}
	for (size_t i = 0; i < kept; i++)
		rows[count++] = (struct row){&crash->persisted[i], false};
	for (size_t i = 0; i < lost; i++)
		rows[count++] = (struct row){&crash->lost[i], true};
	qsort(rows, count, sizeof(*rows), row_compare);
	return count;
}

/* Text in a drawing does not wrap, so cut it, at a character boundary. */
static void drawing_text(struct html *h, const char *class, unsigned x, unsigned y, const char *text, unsigned chars)
{
	char cut[128];
	size_t length = strlen(text), at = chars - 1;

	snprintf(cut, sizeof(cut), "%.*s", (int)sizeof(cut) - 1, text);
	if (length > chars) {
		while (at && ((unsigned char)cut[at] & 0xc0) == 0x80)
			at--;
		strcpy(cut + at, "\xe2\x80\xa6");
	}
	html_raw(h, "<text class=\"%s\" x=\"%u\" y=\"%u\">", class, x, y);
	html_text(h, cut);
	html_raw(h, "</text>");
}

static void row_title(struct html *h, const struct row *row)
{
	char store[500], place[1200];

	crash_store_text(row->store, store, sizeof(store));
	frame_text(stack_location(&row->store->stack), place, sizeof(place));
	html_raw(h, "<title>#%" PRIu64 " ", row->store->event);
	html_text(h, store);
	html_raw(h, ", ");
	html_text(h, place);
	html_raw(h, ": %s</title>", row->lost ? "lost" : "on media");
}

static void row_draw(struct html *h, const struct row *row, unsigned y)
{
	const char *value = row->store->value ? row->store->value : "stored";
	unsigned top = y + LABEL, middle = top + BOX_HEIGHT / 2, end = LEFT + BOX, media = end + GAP;
	char place[1200], pool[400];

	frame_place(stack_location(&row->store->stack), place, sizeof(place));
	snprintf(pool, sizeof(pool), "%s+0x%" PRIx64, row->store->pool_name ? row->store->pool_name : "pool",
		 row->store->offset);
	html_raw(h, "<g class=\"store %s\">", row->lost ? "lost" : "kept");
	row_title(h, row);
	drawing_text(h, "where", LEFT, y + LABEL - 4, place, PLACE_CHARS);
	drawing_text(h, "num", media, y + LABEL - 4, pool, POOL_CHARS);
	html_raw(h, "<rect class=\"cache\" x=\"%u\" y=\"%u\" width=\"%u\" height=\"%u\" rx=\"3\"/>", LEFT, top, BOX,
		 BOX_HEIGHT);
	drawing_text(h, "value", LEFT + 8, middle + 4, value, CHARS);
	html_raw(h, "<path class=\"way\" d=\"M%u %u H%u\"/>", end + 4, middle,
		 row->lost ? end + GAP / 2 - 6 : media - 10);
	if (row->store->flush.count)
		drawing_text(h, "num", end + 6, middle - 5, "flushed", CHARS);
	if (row->lost)
		html_raw(h, "<path class=\"cross\" d=\"M%u %u l10 10 m0 -10 l-10 10\"/>", end + GAP / 2 - 5,
			 middle - 5);
	else
		html_raw(h, "<path class=\"head\" d=\"M%u %u l-8 -5 v10 z\"/>", media - 3, middle);
	html_raw(h, "<rect class=\"media\" x=\"%u\" y=\"%u\" width=\"%u\" height=\"%u\" rx=\"3\"/>", media, top, BOX,
		 BOX_HEIGHT);
	drawing_text(h, "value", media + 8, middle + 4, row->lost ? "lost" : value, CHARS);
	html_raw(h, "</g>\n");
}

static void crash_drawing(struct html *h, const struct finding_crash *crash)
{
	struct row rows[ROWS_MAX];
	size_t count = rows_collect(crash, rows);
	unsigned height = TOP + (unsigned)count * ROW + BOTTOM, end = TOP + (unsigned)count * ROW + 5;
	char point[1200], fails[1300];

	if (!count)
		return;
	html_raw(h,
		 "<h3>what was on media and what was not</h3>\n<div class=\"onmedia\" tabindex=\"0\"><svg "
		 "width=\"%u\" height=\"%u\" viewBox=\"0 0 %u %u\" role=\"img\" "
		 "aria-label=\"stores that reached media and stores that were lost\">\n",
		 WIDTH, height, WIDTH, height);
	html_raw(h,
		 "<text class=\"num\" x=\"%u\" y=\"14\">what the program saw</text><text class=\"num\" x=\"%u\" "
		 "y=\"14\">on media after the crash</text>\n",
		 LEFT, LEFT + BOX + GAP);
	for (size_t i = 0; i < count; i++)
		row_draw(h, &rows[i], TOP + (unsigned)i * ROW);
	html_raw(h, "<path class=\"power\" d=\"M4 %u H%u\"/>", end, WIDTH - 4);
	crash_point_text(crash, point, sizeof(point));
	snprintf(fails, sizeof(fails), "power fails before %s", point);
	drawing_text(h, "fails", 4, end + 17, fails, FAILS_CHARS);
	html_raw(h, "\n</svg></div>\n");
	if (crash->lost_total + crash->persisted_total > count) {
		html_raw(h, "<p class=\"about\">and ");
		html_number(h, crash->lost_total + crash->persisted_total - count);
		html_raw(h, " more stores</p>\n");
	}
}

/* ---- words ---- */

static void crash_output(struct html *h, const char *what, const char *text)
{
	if (!*text)
		return;
	html_raw(h, "<details class=\"inner\" open><summary>%s</summary><pre class=\"source printed\">", what);
	html_text(h, text);
	html_raw(h, "</pre></details>\n");
}

static void crash_fate(struct html *h, const struct finding_crash *crash)
{
	html_raw(h, "<li>");
	if (!crash->lost_total) {
		html_raw(h, crash->persisted_total ? "Everything that was stored so far is on media."
						   : "It does not matter which pending stores are on media.");
	} else {
		html_number(h, crash->lost_total);
		html_raw(h, crash->lost_total == 1 ? " pending store is lost" : " pending stores are lost");
		if (crash->persisted_total) {
			html_raw(h, ", ");
			html_number(h, crash->persisted_total);
			html_raw(h, crash->persisted_total == 1 ? " is on media" : " are on media");
		}
		html_raw(h, ".");
	}
	html_raw(h, "</li>\n");
}

static void crash_story(struct html *h, const struct finding_crash *crash)
{
	char text[8192];

	html_raw(h, "<ol class=\"story\">\n<li>The power fails before ");
	crash_point_text(crash, text, sizeof(text));
	html_text(h, text);
	html_raw(h, "%s.</li>\n", crash->nested ? ", while recovery from an earlier crash is running" : "");
	crash_operation_text(crash, text, sizeof(text));
	if (*text) {
		html_raw(h, "<li>%c", toupper(*text));
		html_text(h, text + 1);
		html_raw(h, ".</li>\n");
	}
	crash_fate(h, crash);
	html_raw(h, "<li>Recovery: <b>");
	crash_failure_text(crash, text, sizeof(text));
	html_text(h, text);
	html_raw(h, "</b>, on ");
	html_number(h, crash->states);
	html_raw(h, " crash state%s", crash->states == 1 ? "" : "s");
	if (crash->mode) {
		html_raw(h, " (");
		html_text(h, crash->mode);
		html_raw(h, ")");
	}
	html_raw(h, ".</li>\n");
	crash_mismatch_text(crash, text, sizeof(text));
	if (*text) {
		html_raw(h, "<li>");
		html_text(h, text);
		html_raw(h, ".</li>\n");
	}
	html_raw(h, "</ol>\n");
}

static void crash_place(struct html *h, const char *what, const struct finding_stack *stack)
{
	if (!stack->count)
		return;
	html_raw(h, "<details class=\"inner\"><summary>%s ", what);
	html_place(h, stack_location(stack));
	html_raw(h, "</summary>\n");
	html_excerpt(h, stack_location(stack));
	html_stack(h, stack);
	html_raw(h, "</details>\n");
}

void html_crash(struct html *h, const struct finding_crash *crash)
{
	crash_story(h, crash);
	html_mismatch(h, &crash->recovery.mismatch);
	html_operation(h, crash);
	crash_drawing(h, crash);
	crash_output(h, "recovery printed on standard error", crash->recovery.err);
	crash_output(h, "recovery printed on standard output", crash->recovery.out);
	if (crash->folder) {
		html_raw(h, "<p class=\"fix\"><b>replay</b> <code>blackout replay DIR ");
		html_text(h, crash->folder);
		html_raw(
			h,
			"</code>, and with <code>--gdb</code> in a debugger; DIR is the directory of this report</p>\n");
	}
	crash_place(h, crash->recovery.ending.kind == ENDING_TIMEOUT ? "recovery hangs at" : "recovery failed at",
		    &crash->recovery.stack);
	crash_place(h, "the power failed at", &crash->point);
	for (size_t i = 0; i < crash->lost_count && i < ROWS_MAX; i++)
		crash_place(h, "lost: stored at", &crash->lost[i].stack);
}
