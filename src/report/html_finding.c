/* SPDX-License-Identifier: GPL-2.0-or-later */
/* html_finding.c - one finding of report.html: its summary line while folded, and its contents. */
#include <inttypes.h>
#include <string.h>

#include "report/escape.h"
#include "report/html.h"

#define EXCERPT_BEFORE 4u
#define EXCERPT_AFTER 3u
#define EXCERPT_COLUMNS 400u /* limit for lines of generated code */

/* ---- source ---- */

static void html_source_line(struct html *h, const struct finding_frame *frame, uint32_t line, bool here)
{
	size_t length;
	const char *text = source_line(h->sources, frame->path, line, &length);

	if (!text)
		return;
	html_raw(h, "<span class=\"%s\" data-line=\"%" PRIu32 "\">", here ? "line here" : "line", line);
	escape_xml(h->out, text, length < EXCERPT_COLUMNS ? length : EXCERPT_COLUMNS);
	html_raw(h, "\n</span>");
}

void html_excerpt(struct html *h, const struct finding_frame *frame)
{
	size_t length;

	if (!frame || !frame->line || !source_line(h->sources, frame->path, frame->line, &length))
		return;
	html_raw(h, "<pre class=\"source\">");
	for (uint32_t line = frame->line > EXCERPT_BEFORE ? frame->line - EXCERPT_BEFORE : 1;
	     line <= frame->line + EXCERPT_AFTER; line++)
		html_source_line(h, frame, line, line == frame->line);
	html_raw(h, "</pre>\n");
}

/* ---- stacks ---- */

void html_place(struct html *h, const struct finding_frame *frame)
{
	char place[1200];

	frame_place(frame, place, sizeof(place));
	html_raw(h, "<span class=\"place\"");
	if (frame && frame->path) {
		html_raw(h, " title=\"");
		html_text(h, frame->path);
		html_raw(h, "\"");
	}
	html_raw(h, ">");
	html_text(h, place);
	html_raw(h, "</span>");
}

static void html_frame(struct html *h, const struct finding_frame *frame)
{
	html_raw(h, "<code>");
	html_text(h, frame->function ? frame->function : "??");
	html_raw(h, "</code> ");
	if (frame->line || !frame->function)
		html_place(h, frame);
	if ((frame->line || frame->function) && frame->module) {
		html_raw(h, " <span class=\"module\">");
		html_text(h, frame->module);
		html_raw(h, "%s</span>", frame->inlined ? ", inlined" : "");
	}
}

/* Frames of the user's own code unfold to their source.  The source of the location is already shown. */
void html_stack(struct html *h, const struct finding_stack *stack)
{
	size_t length;

	html_raw(h, "<ol class=\"stack\">\n");
	for (size_t i = 0; i < stack->count; i++) {
		const struct finding_frame *frame = &stack->frames[i];
		bool unfolds = frame->own && i != stack->location && frame->line &&
			       source_line(h->sources, frame->path, frame->line, &length);

		html_raw(h, "<li class=\"%s%s\">%s", frame->own ? "own" : "folded", i == stack->location ? " here" : "",
			 unfolds ? "<details><summary>" : "");
		html_frame(h, frame);
		if (unfolds) {
			html_raw(h, "</summary>");
			html_excerpt(h, frame);
			html_raw(h, "</details>");
		}
		html_raw(h, "</li>\n");
	}
	html_raw(h, "</ol>\n");
}

static void html_related(struct html *h, const struct finding_related *related)
{
	html_raw(h, "<details class=\"inner\"><summary>%s at ", role_name(related->role));
	html_place(h, stack_location(&related->stack));
	html_raw(h, "</summary>\n");
	html_excerpt(h, stack_location(&related->stack));
	html_stack(h, &related->stack);
	html_raw(h, "</details>\n");
}

/* ---- the finding ---- */

static void html_open(struct html *h, const struct finding *finding)
{
	const struct finding_frame *frame = stack_location(&finding->stack);
	const char *severity = finding_is_active(finding) ? severity_name(finding->severity) : "suppressed";

	html_raw(h, "<details class=\"finding %s\" id=\"", severity);
	html_text(h, finding->id);
	html_raw(h, "\" data-severity=\"%s\" data-kind=\"%s\" data-file=\"", severity, kind_get(finding->kind)->name);
	html_text(h, frame ? frame->file : NULL);
	html_raw(h, "\">\n");
}

static void html_title(struct html *h, const struct finding *finding)
{
	const struct finding_frame *frame = stack_location(&finding->stack);

	html_raw(h, "<summary><span class=\"id\">");
	html_text(h, finding->id);
	html_raw(h, "</span><span class=\"badge\">%s</span><span class=\"kind\">%s</span><span class=\"at\">",
		 severity_name(finding->severity), kind_get(finding->kind)->name);
	html_place(h, frame);
	if (frame && frame->function && frame->line) {
		html_raw(h, " <span class=\"in\">in</span> <code>");
		html_text(h, frame->function);
		html_raw(h, "</code>");
	}
	html_raw(h, "</span><span class=\"count\">");
	html_number(h, finding->count);
	html_raw(h, "%s</span><span class=\"message\">",
		 !finding->crash       ? "\xc3\x97"
		 : finding->count == 1 ? "\xc2\xa0state"
				       : "\xc2\xa0states");
	html_text(h, finding->message);
	html_raw(h, "</span></summary>\n");
}

static void html_facts(struct html *h, const struct finding *finding)
{
	html_raw(h, "<p class=\"about\">");
	html_text(h, kind_get(finding->kind)->line);
	html_raw(h, " (");
	html_text(h, kind_class(kind_get(finding->kind)));
	html_raw(h, ")");
	for (size_t i = 0; i < finding->detector_count; i++) {
		html_raw(h, "%s", i ? ", " : "; found by ");
		html_text(h, finding->detectors[i]);
	}
	for (size_t i = 0; i < finding->platform_count; i++) {
		html_raw(h, "%s", i ? ", " : "; on ");
		html_text(h, finding->platforms[i]);
	}
	if (finding->pool && finding->first.file) {
		html_raw(h, "; first at <code>");
		html_text(h, finding->pool);
		html_raw(h, "</code> +0x%" PRIx64 ", event #%" PRIu64, finding->first.offset, finding->first.event);
	}
	html_raw(h, "</p>\n");
}

/* A line of marks is below the bytes that it marks. */
static bool is_marks(const char *line)
{
	return strchr(line, '^') && !line[strspn(line, " ^")];
}

static void html_bytes(struct html *h, const char *line, const char *marks)
{
	size_t marked = strlen(marks);
	bool in_mark = false;

	for (size_t i = 0; line[i]; i++) {
		bool is_marked = i < marked && marks[i] == '^';

		if (is_marked != in_mark)
			html_raw(h, is_marked ? "<mark>" : "</mark>");
		in_mark = is_marked;
		html_text(h, (const char[]){line[i], 0});
	}
	html_raw(h, in_mark ? "</mark>\n" : "\n");
}

static void html_input(struct html *h, const struct finding_input *input)
{
	if (!input->path)
		return;
	html_raw(h, "<p class=\"fix\"><b>input</b> <code>");
	html_text(h, input->path);
	html_raw(h, "</code></p>\n");
	if (!input->line_count)
		return;
	html_raw(h, "<pre class=\"source printed\">");
	for (size_t i = 0; i < input->line_count; i++) {
		bool has_marks = i + 1 < input->line_count && is_marks(input->lines[i + 1]);

		html_bytes(h, input->lines[i], has_marks ? input->lines[i + 1] : "");
		i += has_marks;
	}
	html_raw(h, "</pre>\n");
}

void html_finding(struct html *h, const struct finding *finding)
{
	html_open(h, finding);
	html_title(h, finding);
	html_raw(h, "<div class=\"body\">\n");
	if (finding->reason) {
		html_raw(h, "<p class=\"fix\"><b>silenced</b> ");
		html_text(h, finding->reason);
		html_raw(h, "</p>\n");
	}
	if (finding->variable.text) {
		html_raw(h, "<p class=\"fix\"><b>variable</b> <code>");
		html_text(h, finding->variable.text);
		html_raw(h, "</code>%s", finding->variable.type ? " of <code>" : "");
		html_text(h, finding->variable.type);
		html_raw(h, "%s</p>\n", finding->variable.type ? "</code>" : "");
	}
	for (size_t i = 0; i < finding->also_count; i++) {
		html_raw(h, "<p class=\"fix\"><b>also</b> %s: ", kind_get(finding->also[i].kind)->name);
		html_text(h, finding->also[i].message);
		html_raw(h, "</p>\n");
	}
	if (finding->fix) {
		html_raw(h, "<p class=\"fix\"><b>fix</b> ");
		html_text(h, finding->fix);
		html_raw(h, "</p>\n");
	}
	html_input(h, &finding->input);
	html_excerpt(h, stack_location(&finding->stack));
	if (finding->invariant)
		html_invariant(h, finding->invariant);
	if (finding->crash)
		html_crash(h, finding->crash);
	html_drawing(h, finding);
	html_raw(h, "<h3>stack</h3>\n");
	html_stack(h, &finding->stack);
	for (size_t i = 0; i < finding->related_count; i++)
		html_related(h, &finding->related[i]);
	html_facts(h, finding);
	html_raw(h, "<p class=\"about\">fingerprint <code>%s</code></p>\n</div>\n</details>\n", finding->fingerprint);
}
