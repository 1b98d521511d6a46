/* SPDX-License-Identifier: GPL-2.0-or-later */
/* html_drawing.c - a cache line over time.
 *
 * There is one column per event, and one row per 8-byte word of the line.  A cell shows the state of the word after the
 * event: stored and only in the cache, written back but not fenced, ordered by clflush, or (empty) nothing pending.  A
 * store is marked in the words that it wrote.  A flush is a dashed bar and a fence a solid one, because they act on the
 * whole line.  The event that the finding is about has a frame. */
#include <inttypes.h>
#include <string.h>

#include "report/html.h"

#define WORDS 8u
#define COLUMN 52u
#define ROW 15u
#define LEFT 44u   /* for the offsets of the words */
#define TOP 26u    /* for the names of events */
#define BOTTOM 34u /* for numbers and threads */
#define HEIGHT (TOP + WORDS * ROW + BOTTOM)

static bool is_store(const struct finding_event *event)
{
	return event->size != 0;
}

static bool is_flush(const struct finding_event *event)
{
	return !strncmp(event->op, "cl", 2);
}

/* Short forms of names that are wider than a column. */
static const char *short_name(const char *op)
{
	static const struct {
		const char *op, *name;
	} names[] = {{"clflushopt", "flushopt"}, {"sync_file_range", "syncrange"}, {"fdatasync", "datasync"}};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(names[i].op, op))
			return names[i].name;
	return op;
}

/* The words that a store wrote, one bit each. */
static unsigned event_words(const struct finding_event *event)
{
	unsigned words = 0;

	for (unsigned word = 0; is_store(event) && word < WORDS; word++)
		if (event->line_offset < (word + 1) * 8 && event->line_offset + event->size > word * 8)
			words |= 1u << word;
	return words;
}

static const char *word_class(const struct finding_event *event, unsigned word)
{
	unsigned bit = 1u << word;

	/* Stores to the same word may be in different states; show the worst one. */
	return event->dirty & bit      ? "dirty"
	       : event->awaiting & bit ? "await"
	       : event->ordered & bit  ? "order"
				       : "clean";
}

static const char *line_text(const struct finding_event *event)
{
	return event->dirty      ? "after it, some data is only in the cache"
	       : event->awaiting ? "after it, the data that was written back still needs a fence"
	       : event->ordered  ? "after it, everything is written back and ordered"
				 : "after it, nothing is pending";
}

static void drawing_title(struct html *h, const struct finding_event *event)
{
	html_raw(h, "<title>#%" PRIu64 " %s by thread %" PRIu32, event->number, event->op, event->thread);
	if (event->value) {
		html_raw(h, ", %" PRIu32 " bytes at +%" PRIu32 ": ", event->size, event->line_offset);
		html_text(h, event->value);
	}
	if (event->where) {
		html_raw(h, ", ");
		html_text(h, event->where);
	}
	html_raw(h, "; %s</title>", line_text(event));
}

static void drawing_column(struct html *h, const struct finding_event *event, unsigned x)
{
	unsigned middle = x + COLUMN / 2, words = event_words(event);

	html_raw(h, "<g class=\"event%s\">", event->example ? " example" : "");
	drawing_title(h, event);
	if (event->example)
		html_raw(h, "<rect class=\"mark\" x=\"%u\" y=\"1\" width=\"%u\" height=\"%u\" rx=\"4\"/>", x + 1,
			 COLUMN - 2, HEIGHT - 2);
	html_raw(h, "<text class=\"op\" x=\"%u\" y=\"%u\">%s</text>", middle, TOP - 9, short_name(event->op));
	for (unsigned word = 0; word < WORDS; word++) {
		unsigned y = TOP + word * ROW;

		html_raw(h, "<rect class=\"%s\" x=\"%u\" y=\"%u\" width=\"%u\" height=\"%u\"/>",
			 word_class(event, word), x + 3, y + 1, COLUMN - 6, ROW - 2);
		if (words >> word & 1)
			html_raw(h, "<circle class=\"dot\" cx=\"%u\" cy=\"%u\" r=\"3.5\"/>", middle, y + ROW / 2);
	}
	if (!words)
		html_raw(h, "<line class=\"%s\" x1=\"%u\" y1=\"%u\" x2=\"%u\" y2=\"%u\"/>",
			 is_flush(event) ? "flush" : "fence", middle, TOP - 3, middle, TOP + WORDS * ROW + 3);
	html_raw(h,
		 "<text class=\"num\" x=\"%u\" y=\"%u\">#%" PRIu64
		 "</text><text class=\"num\" x=\"%u\" y=\"%u\">t%" PRIu32 "</text></g>\n",
		 middle, TOP + WORDS * ROW + 15, event->number, middle, TOP + WORDS * ROW + 28, event->thread);
}

static void drawing_svg(struct html *h, const struct finding *finding)
{
	unsigned width = LEFT + (unsigned)finding->event_count * COLUMN + 2;

	html_raw(
		h,
		"<div class=\"drawing\" tabindex=\"0\"><svg width=\"%u\" height=\"%u\" viewBox=\"0 0 %u %u\" role=\"img\" "
		"aria-label=\"events on the cache line over time\">\n",
		width, HEIGHT, width, HEIGHT);
	for (unsigned word = 0; word < WORDS; word++)
		html_raw(h, "<text class=\"word\" x=\"%u\" y=\"%u\">+%u</text>", LEFT - 8, TOP + word * ROW + 11,
			 word * 8);
	html_raw(h, "\n");
	for (size_t i = 0; i < finding->event_count; i++)
		drawing_column(h, &finding->events[i], LEFT + (unsigned)i * COLUMN);
	html_raw(h, "</svg></div>\n");
}

static void drawing_legend(struct html *h)
{
	html_raw(h, "<p class=\"legend\"><span><i class=\"dirty\"></i>only in the cache</span>"
		    "<span><i class=\"await\"></i>written back, not fenced</span>"
		    "<span><i class=\"order\"></i>ordered by clflush</span>"
		    "<span><i class=\"clean\"></i>nothing pending</span>"
		    "<span><i class=\"dot\"></i>stored here</span></p>\n");
}

static void drawing_table(struct html *h, const struct finding *finding)
{
	html_raw(h, "<details class=\"inner\"><summary>the events as a list</summary><div class=\"scroll\"><table>\n"
		    "<tr><th>event</th><th>thread</th><th>op</th><th>place</th><th>value</th><th>where</th></tr>\n");
	for (size_t i = 0; i < finding->event_count; i++) {
		const struct finding_event *event = &finding->events[i];

		html_raw(h, "<tr%s><td>#%" PRIu64 "</td><td>t%" PRIu32 "</td><td>%s</td><td>",
			 event->example ? " class=\"example\"" : "", event->number, event->thread, event->op);
		if (is_store(event))
			html_raw(h, "+%" PRIu32 ", %" PRIu32 " bytes", event->line_offset, event->size);
		html_raw(h, "</td><td>");
		html_text(h, event->value);
		html_raw(h, "</td><td>");
		html_text(h, event->where);
		html_raw(h, "</td></tr>\n");
	}
	html_raw(h, "</table></div></details>\n");
}

void html_drawing(struct html *h, const struct finding *finding)
{
	if (!finding->event_count)
		return;
	html_raw(h, "<h3>the cache line at +0x%" PRIx64 " over time</h3>\n", finding->line_start);
	drawing_svg(h, finding);
	drawing_legend(h);
	drawing_table(h, finding);
}
