/* SPDX-License-Identifier: GPL-2.0-or-later */
/* escape.c - see escape.h. */
#include "report/escape.h"

#include <stdbool.h>
#include <string.h>

#include "base/utf8.h"

static const char *xml_entity(unsigned char c)
{
	switch (c) {
	case '&': return "&amp;";
	case '<': return "&lt;";
	case '>': return "&gt;";
	case '"': return "&quot;";
	case '\'': return "&#39;";
	default: return (c < ' ' && c != '\n' && c != '\t') || c == 0x7f ? UTF8_REPLACEMENT : NULL;
	}
}

void escape_xml(FILE *out, const char *text, size_t size)
{
	for (size_t at = 0; at < size;) {
		size_t n = utf8_length(text + at, size - at);
		const char *entity = n ? xml_entity((unsigned char)text[at]) : UTF8_REPLACEMENT;

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
