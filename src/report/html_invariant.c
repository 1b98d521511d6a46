/* SPDX-License-Identifier: GPL-2.0-or-later */
/* html_invariant.c - the invariant that a crash state violates, in report.html: the two stores, and beside each what
 * reads it.
 *
 * There is one row per store.  The left side is the store, with its fate in the crash state.  The right side is the code
 * that shows the invariant: what is above is looked at first, and an arrow leads from there to what depends on it.  The
 * drawing fits on a page that is 400 pixels wide. */
#include <inttypes.h>
#include <string.h>

#include "report/html.h"

#define TOP 22u
#define ROW 74u
#define BOX_HEIGHT 40u
#define LEFT 4u
#define BOX 150u
#define GAP 40u
#define WIDTH (2 * LEFT + 2 * BOX + GAP)
#define CHARS 21u
#define SMALL_CHARS 26u

struct side {
	const struct finding_stack *store;
	bool on_media;                    /* in the crash state; otherwise it was lost, or had not happened yet */
	const struct finding_stack *read; /* NULL: nothing is known that reads it */
	const char *verb;                 /* what the code does there */
};

static const struct finding_stack *because_find(const struct finding_invariant *invariant, enum related_role role)
{
	for (size_t i = 0; i < invariant->because_count; i++)
		if (invariant->because[i].role == role && invariant->because[i].stack.count)
			return &invariant->because[i].stack;
	return NULL;
}

/* The two sides, and how the lower one depends on the upper one. */
static const char *sides_find(const struct finding_invariant *invariant, struct side sides[2])
{
	const struct finding_stack *load = because_find(invariant, ROLE_LOAD),
				   *guard = because_find(invariant, ROLE_GUARD);
	struct side first = {&invariant->first, false, load, "read"},
		    second = {&invariant->second, true, guard, "looked at"};
	bool computed = !strcmp(invariant->rule, "RO1");

	if (!strcmp(invariant->rule, "RO3")) {
		sides[0] = second;
		sides[1] = first;
		return "only then";
	}
	if (!strcmp(invariant->rule, "RA1")) {
		first.read = guard;
		first.verb = "looked at";
		second.read = NULL;
		sides[0] = first;
		sides[1] = second;
		return "both or neither";
	}
	first.read = load ? load : guard;
	second.read = &invariant->second;
	second.verb = computed ? "computed" : "stored";
	sides[0] = first;
	sides[1] = second;
	return computed ? "from it" : "depending on it";
}

/* The last characters of a text that is too long: the line of a place tells more than its file. */
static void text_fit(struct html *h, const char *text, size_t chars)
{
	size_t length = strlen(text);

	if (length > chars) {
		text += length - chars + 1;
		while (((unsigned char)*text & 0xc0) == 0x80)
			text++;
		html_raw(h, "\xe2\x80\xa6");
	}
	html_text(h, text);
}

/* `in` is between `what` and the function. */
static void box_draw(struct html *h, const char *class, unsigned x, unsigned y, const char *what, const char *in,
		     const struct finding_stack *stack)
{
	const struct finding_frame *frame = stack_location(stack);
	char place[1200], full[1200], doing[400];

	frame_text(frame, full, sizeof(full));
	frame_place(frame, place, sizeof(place));
	snprintf(doing, sizeof(doing), "%s", what);
	if (frame && frame->function) {
		strcat(doing, in);
		function_plain(doing + strlen(doing), sizeof(doing) - strlen(doing), frame->function);
	}
	html_raw(h, "<g><title>");
	html_text(h, full);
	html_raw(h, "</title><rect class=\"%s\" x=\"%u\" y=\"%u\" width=\"%u\" height=\"%u\" rx=\"3\"/>", class, x, y,
		 BOX, BOX_HEIGHT);
	html_raw(h, "<text class=\"value\" x=\"%u\" y=\"%u\">", x + 8, y + 17);
	text_fit(h, place, CHARS);
	html_raw(h, "</text><text class=\"num\" x=\"%u\" y=\"%u\">", x + 8, y + 33);
	if (strlen(doing) <= SMALL_CHARS)
		html_text(h, doing);
	else
		html_text(h, what);
	html_raw(h, "</text></g>\n");
}

static void side_draw(struct html *h, const struct side *side, unsigned y)
{
	unsigned middle = y + BOX_HEIGHT / 2, reads = LEFT + BOX + GAP;

	html_raw(h, "<g class=\"store %s\">", side->on_media ? "kept" : "lost");
	box_draw(h, "media", LEFT, y, side->on_media ? "on media" : "not on media", ", by ", side->store);
	html_raw(h, "</g>");
	if (!side->read)
		return;
	html_raw(h, "<path class=\"way\" d=\"M%u %u H%u\"/><path class=\"head\" d=\"M%u %u l-8 -5 v10 z\"/>",
		 LEFT + BOX + 4, middle, reads - 10, reads - 3, middle);
	box_draw(h, "cache", reads, y, side->verb, " in ", side->read);
}

/* From the upper to the lower row.  RA1 is about the stores, and neither comes first. */
static void depends_draw(struct html *h, bool together, const char *depends)
{
	unsigned from = TOP + BOX_HEIGHT + 3, x = (together ? LEFT : LEFT + BOX + GAP) + BOX / 2;

	html_raw(h, "<path class=\"way\" d=\"M%u %u V%u\"/>", x, from, TOP + ROW - (together ? 3 : 9));
	if (!together)
		html_raw(h, "<path class=\"head\" d=\"M%u %u l-5 -8 h10 z\"/>", x, TOP + ROW - 2);
	html_raw(h, "<text class=\"where\" x=\"%u\" y=\"%u\">%s</text>\n", x + 8, from + 17, depends);
}

void html_invariant(struct html *h, const struct finding_invariant *invariant)
{
	unsigned height = TOP + 2 * ROW - (ROW - BOX_HEIGHT) + 6, reads = LEFT + BOX + GAP;
	struct side sides[2];
	const char *depends = sides_find(invariant, sides);

	html_raw(h,
		 "<h3>the invariant, %s, seen %" PRIu64
		 "\xc2\xa0time%s</h3>\n<div class=\"onmedia invariant\" tabindex=\"0\"><svg width=\"%u\" height=\"%u\" "
		 "viewBox=\"0 0 %u %u\" role=\"img\" aria-label=\"the two stores, and the code that reads them\">\n",
		 invariant->rule, invariant->seen, invariant->seen == 1 ? "" : "s", WIDTH, height, WIDTH, height);
	html_raw(
		h,
		"<text class=\"num\" x=\"%u\" y=\"14\">stored at</text><text class=\"num\" x=\"%u\" y=\"14\">how it is "
		"used</text>\n",
		LEFT, reads);
	side_draw(h, &sides[0], TOP);
	side_draw(h, &sides[1], TOP + ROW);
	depends_draw(h, !strcmp(invariant->rule, "RA1"), depends);
	html_raw(h, "</svg></div>\n");
}
