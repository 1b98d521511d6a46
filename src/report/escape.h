/* SPDX-License-Identifier: GPL-2.0-or-later */
/* escape.h - escape names of files and functions, which may contain any bytes, for XML, HTML and URIs.
 *
 *     escape_xml_string(out, frame->function);
 *
 * Bytes that are not UTF-8, and control characters, which XML and HTML cannot express, become U+FFFD. */
#ifndef BLACKOUT_REPORT_ESCAPE_H
#define BLACKOUT_REPORT_ESCAPE_H

#include <stddef.h>
#include <stdio.h>

/* For text and for attributes in double quotes, in both XML and HTML. */
void escape_xml(FILE *out, const char *text, size_t size);
void escape_xml_string(FILE *out, const char *text);

/* Write a path as (part of) a URI: all characters except letters, digits, / and -._~ become %XX. */
void escape_uri(char *uri, size_t size, const char *path);

#endif
