/* SPDX-License-Identifier: GPL-2.0-or-later */
/* replay_outputs.c - see replay_outputs.h. */
#include "cli/replay_outputs.h"

#include <string.h>

#include "base/utf8.h"
#include "ops/excerpt.h"

enum { TITLE_ROOM = 300, COLUMNS_MAX = 4, GAP = 3 /* characters between two columns */ };

/* The line that decides, as it is printed now. */
static void got_text(const struct replay_outputs *o, char text[EXCERPT_ROOM])
{
	const struct output_body body = output_body(o->got, NULL);
	size_t line = o->mismatch->line ? (size_t)o->mismatch->line - 1 : 0;

	if (!output_excerpt(&body, line, OUTPUT_ENDS, text, EXCERPT_ROOM))
		snprintf(text, EXCERPT_ROOM, "(not kept)");
}

bool replay_outputs_match(const struct replay_outputs *o)
{
	char got[EXCERPT_ROOM];

	got_text(o, got);
	for (size_t i = 0; i < o->mismatch->expected_count; i++)
		if (!strcmp(o->mismatch->expected[i].line, got))
			return true;
	return false;
}

struct column {
	char title[TITLE_ROOM];
	char line[EXCERPT_ROOM + 1];
};

static unsigned text_width(const char *text)
{
	unsigned width = 0;

	for (size_t at = 0, size = strlen(text); at < size; width++) {
		size_t n = utf8_length(text + at, size - at);

		at += n ? n : 1;
	}
	return width;
}

static unsigned column_width(const struct column *column)
{
	unsigned title = text_width(column->title), line = text_width(column->line);

	return title > line ? title : line;
}

static void cell_print(const char *text, unsigned width, bool last, FILE *to)
{
	fprintf(to, "%s%*s", text, last ? 0 : (int)(width - text_width(text) + GAP), "");
}

static void columns_print(const struct column *columns, size_t count, FILE *to)
{
	for (unsigned row = 0; row < 2; row++) {
		fputs("    ", to);
		for (size_t i = 0; i < count; i++)
			cell_print(row ? columns[i].line : columns[i].title, column_width(&columns[i]), i + 1 == count,
				   to);
		fputc('\n', to);
	}
}

void replay_outputs_show(const struct replay_outputs *o, unsigned width, FILE *to)
{
	const struct finding_mismatch *mismatch = o->mismatch;
	size_t shown = mismatch->expected_count < COLUMNS_MAX ? mismatch->expected_count : COLUMNS_MAX;
	struct column columns[COLUMNS_MAX + 1] = {0};
	unsigned used = 4;

	for (size_t i = 0; i < shown; i++) {
		const char *history = mismatch->expected[i].history;

		snprintf(columns[i].title, TITLE_ROOM, "expected%s%s", history ? " " : "", history ? history : "");
		text_plain(columns[i].line, sizeof(columns[i].line), mismatch->expected[i].line);
		used += column_width(&columns[i]) + GAP;
	}
	strcpy(columns[shown].title, "got");
	got_text(o, columns[shown].line);
	used += column_width(&columns[shown]);
	if (used <= width) {
		columns_print(columns, shown + 1, to);
		return;
	}
	for (size_t i = 0; i <= shown; i++)
		fprintf(to, "    %s: %s\n", columns[i].title, columns[i].line);
}
