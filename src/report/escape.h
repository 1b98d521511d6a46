/* SPDX-License-Identifier: GPL-2.0-or-later */
/* escape.h - names of files and functions may hold anything; what each format can hold is decided here.
 *
 * Bytes that are not UTF-8 become U+FFFD everywhere.  Control characters become \u00XX in JSON, and U+FFFD in XML and
 * HTML, which have no way to write them. */
#ifndef BLACKOUT_REPORT_ESCAPE_H
#define BLACKOUT_REPORT_ESCAPE_H

#include <stddef.h>
#include <stdio.h>

/* Bytes of the character at `text` (`size` bytes are left): 0 if they are not UTF-8. */
size_t utf8_length(const char *text, size_t size);

/* Columns that the text takes on a terminal, one per character. */
size_t utf8_columns(const char *text, size_t size);

/* With the quotes. */
void escape_json(FILE *out, const char *text);

/* For text and for attributes in double quotes, in XML and HTML both. */
void escape_xml(FILE *out, const char *text, size_t size);
void escape_xml_string(FILE *out, const char *text);

/* A path as (part of) a URI: everything but letters, digits, / and -._~ as %XX. */
void escape_uri(char *uri, size_t size, const char *path);

#endif
