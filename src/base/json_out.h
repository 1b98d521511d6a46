/* SPDX-License-Identifier: GPL-2.0-or-later */
/* json_out.h - write JSON incrementally, indented by two spaces.
 *
 *     struct json_out j = {.out = file};
 *     json_open(&j, NULL, '{');
 *     json_text(&j, "kind", "missing-flush");           // left out if the value is NULL
 *     json_open(&j, "stack", '[');                      // members of an array have no key
 *     ...
 *     json_close(&j, ']');
 *     json_close(&j, '}');
 *     json_end(&j);
 *
 * Everything that Blackout writes in JSON is written with this.  Bytes that are not UTF-8 become U+FFFD, control
 * characters \u00XX.  (JSON is read with jansson.) */
#ifndef BLACKOUT_BASE_JSON_OUT_H
#define BLACKOUT_BASE_JSON_OUT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct json_out {
	FILE *out;
	unsigned depth;
	bool started; /* this object or array already has a member */
};

void json_open(struct json_out *j, const char *key, char bracket);
void json_close(struct json_out *j, char bracket);
void json_text(struct json_out *j, const char *key, const char *text);
void json_number(struct json_out *j, const char *key, uint64_t number);
void json_signed(struct json_out *j, const char *key, int64_t number);
void json_seconds(struct json_out *j, const char *key, double seconds); /* three decimals */
/* 12 significant digits, and always a point or an exponent: 10.0 */
void json_decimal(struct json_out *j, const char *key, double number);
void json_strings(struct json_out *j, const char *key, const char *const *texts, size_t count); /* an array */
void json_bool(struct json_out *j, const char *key, bool value);
void json_end(struct json_out *j);

#endif
