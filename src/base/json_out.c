/* SPDX-License-Identifier: GPL-2.0-or-later */
/* json_out.c - see json_out.h. */
#include "base/json_out.h"

#include <inttypes.h>
#include <string.h>

#include "base/utf8.h"

/* Writes the quotes, too. */
static void json_escape(FILE *out, const char *text)
{
	size_t size = strlen(text);

	fputc('"', out);
	for (size_t at = 0; at < size;) {
		size_t n = utf8_length(text + at, size - at);
		unsigned char c = (unsigned char)text[at];

		if (!n)
			fputs(UTF8_REPLACEMENT, out);
		else if (c == '"' || c == '\\')
			fprintf(out, "\\%c", c);
		else if (c == '\n')
			fputs("\\n", out);
		else if (c < ' ' || c == 0x7f)
			fprintf(out, "\\u%04x", c);
		else
			fwrite(text + at, 1, n, out);
		at += n ? n : 1;
	}
	fputc('"', out);
}

static void json_line(struct json_out *j)
{
	fprintf(j->out, "\n%*s", (int)(2 * j->depth), "");
}

/* Write what comes before a value: the comma, the newline, the key. */
static void json_before(struct json_out *j, const char *key)
{
	if (j->started)
		fputc(',', j->out);
	if (j->depth)
		json_line(j);
	if (key) {
		json_escape(j->out, key);
		fputs(": ", j->out);
	}
	j->started = true;
}

void json_open(struct json_out *j, const char *key, char bracket)
{
	json_before(j, key);
	fputc(bracket, j->out);
	j->depth++;
	j->started = false;
}

void json_close(struct json_out *j, char bracket)
{
	j->depth--;
	if (j->started)
		json_line(j);
	fputc(bracket, j->out);
	j->started = true;
}

void json_text(struct json_out *j, const char *key, const char *text)
{
	if (!text)
		return;
	json_before(j, key);
	json_escape(j->out, text);
}

void json_number(struct json_out *j, const char *key, uint64_t number)
{
	json_before(j, key);
	fprintf(j->out, "%" PRIu64, number);
}

void json_signed(struct json_out *j, const char *key, int64_t number)
{
	json_before(j, key);
	fprintf(j->out, "%" PRId64, number);
}

/* Not with %f: a locale may have another decimal point. */
void json_seconds(struct json_out *j, const char *key, double seconds)
{
	uint64_t thousandths = (uint64_t)(seconds * 1000 + 0.5);

	json_before(j, key);
	fprintf(j->out, "%" PRIu64 ".%03u", thousandths / 1000, (unsigned)(thousandths % 1000));
}

void json_decimal(struct json_out *j, const char *key, double number)
{
	char text[40];

	snprintf(text, sizeof(text), "%.12g", number);
	for (char *comma = text; (comma = strchr(comma, ','));)
		*comma = '.';
	json_before(j, key);
	fprintf(j->out, "%s%s", text, strpbrk(text, ".e") ? "" : ".0");
}

void json_bool(struct json_out *j, const char *key, bool value)
{
	json_before(j, key);
	fputs(value ? "true" : "false", j->out);
}

void json_end(struct json_out *j)
{
	fputc('\n', j->out);
}

void json_strings(struct json_out *j, const char *key, const char *const *texts, size_t count)
{
	json_open(j, key, '[');
	for (size_t i = 0; i < count; i++)
		json_text(j, NULL, texts[i]);
	json_close(j, ']');
}
