/* SPDX-License-Identifier: GPL-2.0-or-later */
/* markdown.c - see markdown.h. */
#include "report/markdown.h"

#include <stdbool.h>
#include <string.h>

#include "base/mem.h"
#include "report/text_out.h"

#define FENCE "```"
#define CODE "    "

struct markdown {
	struct text text;
	char *paragraph; /* its lines so far, joined by spaces; has room for the whole document */
	size_t length;
	bool item;   /* the paragraph is a list item */
	bool quoted; /* inside backquotes */
	bool fenced; /* inside a code block */
};

/* The end of the text of a link whose bracket is at `at`; NULL: no link starts there. */
static const char *link_text_end(const char *at, const char *end)
{
	const char *close = memchr(at, ']', (size_t)(end - at));

	return close && close + 1 < end && close[1] == '(' && memchr(close, ')', (size_t)(end - close)) ? close : NULL;
}

/* Add a line to the paragraph, without the asterisks of emphasis.  A link is replaced by its text. */
static void paragraph_add(struct markdown *m, const char *line, size_t length)
{
	const char *end = line + length, *close;

	if (m->length)
		m->paragraph[m->length++] = ' ';
	while (line < end) {
		if (*line == '[' && (close = link_text_end(line, end))) {
			memcpy(m->paragraph + m->length, line + 1, (size_t)(close - line - 1));
			m->length += (size_t)(close - line - 1);
			line = (const char *)memchr(close, ')', (size_t)(end - close)) + 1;
		} else if (*line == '*' && !m->quoted) {
			line++;
		} else {
			m->quoted ^= *line == '`';
			m->paragraph[m->length++] = *line++;
		}
	}
}

static void paragraph_end(struct markdown *m)
{
	unsigned indent = INDENT + (m->item ? 2 : 0);

	if (!m->length)
		return;
	m->paragraph[m->length] = 0;
	text_pad(&m->text, INDENT);
	text_wrap(&m->text, m->paragraph, indent);
	text_newline(&m->text);
	m->length = 0;
	m->item = m->quoted = false;
}

static void code_line(struct markdown *m, const char *line, size_t length)
{
	fprintf(m->text.out, "%s%.*s\n", length ? CODE CODE : "", (int)length, line);
}

static void line_write(struct markdown *m, const char *line, size_t length)
{
	bool heading = *line == '#', item = !strncmp(line, "- ", 2), fence = !strncmp(line, FENCE, strlen(FENCE));

	if (m->fenced && !fence) {
		code_line(m, line, length);
		return;
	}
	if (!length || heading || item || fence)
		paragraph_end(m);
	if (fence) {
		m->fenced = !m->fenced;
	} else if (heading) {
		size_t marks = strspn(line, "# ");

		text_put(&m->text, line + marks, length - marks);
		text_newline(&m->text);
	} else if (!length) {
		text_newline(&m->text);
	} else if (!m->length && !strncmp(line, CODE, strlen(CODE))) {
		code_line(m, line + strlen(CODE), length - strlen(CODE));
	} else {
		size_t blanks = strspn(line, " ");

		m->item |= item;
		paragraph_add(m, line + blanks, length - blanks);
	}
}

void markdown_write(const char *text, unsigned width, FILE *out)
{
	struct markdown m = {.text = {.out = out, .width = width}};

	m.paragraph = mem_alloc(strlen(text) + 2);
	while (*text) {
		size_t length = strcspn(text, "\n");

		line_write(&m, text, length);
		text += length + (text[length] == '\n');
	}
	paragraph_end(&m);
	free(m.paragraph);
}
