/* SPDX-License-Identifier: GPL-2.0-or-later */
/* escape.c - see escape.h. */
#include "report/escape.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define REPLACEMENT "\xef\xbf\xbd"

static bool is_tail(unsigned char c)
{
	return (c & 0xc0) == 0x80;
}

size_t utf8_length(const char *text, size_t size)
{
	const unsigned char *p = (const unsigned char *)text;

	if (!size)
		return 0;
	if (p[0] < 0x80)
		return 1;
	if (size >= 2 && p[0] >= 0xc2 && p[0] <= 0xdf && is_tail(p[1]))
		return 2;
	if (size >= 3 && (p[0] & 0xf0) == 0xe0 && is_tail(p[1]) && is_tail(p[2])) {
		uint32_t c = (uint32_t)(p[0] & 15) << 12 | (uint32_t)(p[1] & 63) << 6 | (p[2] & 63);

		/* Reject an overlong encoding, surrogates, and the two noncharacters. */
		return c < 0x800 || (c >= 0xd800 && c <= 0xdfff) || c >= 0xfffe ? 0 : 3;
	}
	if (size >= 4 && p[0] >= 0xf0 && p[0] <= 0xf4 && is_tail(p[1]) && is_tail(p[2]) && is_tail(p[3])) {
		uint32_t c = (uint32_t)(p[0] & 7) << 18 | (uint32_t)(p[1] & 63) << 12;

		return c < 0x10000 || c > 0x10ffff ? 0 : 4;
	}
	return 0;
}

size_t utf8_columns(const char *text, size_t size)
{
	size_t columns = 0;

	for (size_t at = 0, n; at < size; at += n ? n : 1, columns++)
		n = utf8_length(text + at, size - at);
	return columns;
}

void escape_json(FILE *out, const char *text)
{
	size_t size = strlen(text);

	fputc('"', out);
	for (size_t at = 0; at < size;) {
		size_t n = utf8_length(text + at, size - at);
		unsigned char c = (unsigned char)text[at];

		if (!n)
			fputs(REPLACEMENT, out);
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

static const char *xml_entity(unsigned char c)
{
	switch (c) {
	case '&': return "&amp;";
	case '<': return "&lt;";
	case '>': return "&gt;";
	case '"': return "&quot;";
	case '\'': return "&#39;";
	default: return (c < ' ' && c != '\n' && c != '\t') || c == 0x7f ? REPLACEMENT : NULL;
	}
}

void escape_xml(FILE *out, const char *text, size_t size)
{
	for (size_t at = 0; at < size;) {
		size_t n = utf8_length(text + at, size - at);
		const char *entity = n ? xml_entity((unsigned char)text[at]) : REPLACEMENT;

		if (entity)
			fputs(entity, out);
		else
			fwrite(text + at, 1, n, out);
		at += n ? n : 1;
	}
}

void escape_xml_string(FILE *out, const char *text)
{
	escape_xml(out, text, strlen(text));
}

static bool uri_plain(unsigned char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || (c && strchr("/-._~", c));
}

void escape_uri(char *uri, size_t size, const char *path)
{
	size_t used = 0;

	for (const unsigned char *p = (const unsigned char *)path; *p && used + 4 <= size; p++)
		used += (size_t)snprintf(uri + used, size - used, uri_plain(*p) ? "%c" : "%%%02X", *p);
	uri[used] = 0;
}
