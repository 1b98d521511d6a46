/* SPDX-License-Identifier: GPL-2.0-or-later */
/* text_out.c - see text_out.h. */
#include "report/text_out.h"

#include <string.h>

#include "base/utf8.h"

static const char *const style_codes[] = {"0", "1", "2", "1;31", "33", "36", "32"};

void text_style(struct text *t, enum style style)
{
	if (t->color)
		fprintf(t->out, "\033[%sm", style_codes[style]);
}

void text_newline(struct text *t)
{
	fputc('\n', t->out);
	t->column = 0;
}

/* No part of a name may reach the terminal as a control sequence.  Bytes that are not UTF-8 are shown as replacement
 * characters. */
void text_put(struct text *t, const char *text, size_t size)
{
	for (size_t at = 0, n; at < size; at += n ? n : 1, t->column++) {
		n = utf8_length(text + at, size - at);
		if (!n || (unsigned char)text[at] < ' ' || text[at] == 0x7f ||
		    (n == 2 && text[at] == '\xc2' && (unsigned char)text[at + 1] < 0xa0)) /* C1 controls */
			fputs("\xef\xbf\xbd", t->out);
		else
			fwrite(text + at, 1, n, t->out);
	}
}

void text_print(struct text *t, const char *text)
{
	text_put(t, text, strlen(text));
}

void text_pad(struct text *t, unsigned column)
{
	while (t->column < column)
		text_put(t, " ", 1);
}

void text_wrap(struct text *t, const char *text, unsigned indent)
{
	bool first = true;

	for (const char *at = text; *at;) {
		size_t length = strcspn(at, " ");
		unsigned columns = (unsigned)utf8_columns(at, length);

		if (!first && t->column + 1 + columns > t->width) {
			text_newline(t);
			text_pad(t, indent);
		} else if (!first) {
			text_put(t, " ", 1);
		}
		text_put(t, at, length);
		first = false;
		at += length + strspn(at + length, " ");
	}
}

void text_paragraph(struct text *t, const char *label, const char *text)
{
	text_pad(t, INDENT);
	if (label) {
		text_style(t, STYLE_DIM);
		text_print(t, label);
		text_style(t, STYLE_PLAIN);
		text_put(t, " ", 1);
	}
	text_wrap(t, text, INDENT);
	text_newline(t);
}
