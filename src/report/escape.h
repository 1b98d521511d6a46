/* SPDX-License-Identifier: GPL-2.0-or-later */
/* escape.h - escape names of files and functions, which may contain any bytes, for each format.
 *
 * Bytes that are not UTF-8 become U+FFFD everywhere.  Control characters become \u00XX in JSON.  In XML and HTML, which
 * cannot express them, they become U+FFFD. */
#ifndef BLACKOUT_REPORT_ESCAPE_H
#define BLACKOUT_REPORT_ESCAPE_H

#include <stddef.h>
#include <stdio.h>

/* The length in bytes of the character at `text`, of which `size` bytes are left; 0: it is not UTF-8. */
size_t utf8_length(const char *text, size_t size);

/* The number of columns that the text takes on a terminal, one per character. */
size_t utf8_columns(const char *text, size_t size);

/* Writes the quotes, too. */
void escape_json(FILE *out, const char *text);

/* For text and for attributes in double quotes, in both XML and HTML. */
void escape_xml(FILE *out, const char *text, size_t size);
void escape_xml_string(FILE *out, const char *text);

/* Write a path as (part of) a URI: all characters except letters, digits, / and -._~ become %XX. */
void escape_uri(char *uri, size_t size, const char *path);

#endif
