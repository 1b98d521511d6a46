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
 *     json_end(&j); */
#ifndef BLACKOUT_REPORT_JSON_OUT_H
#define BLACKOUT_REPORT_JSON_OUT_H

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
void json_seconds(struct json_out *j, const char *key, double seconds);                         /* three decimals */
void json_strings(struct json_out *j, const char *key, const char *const *texts, size_t count); /* an array */
void json_bool(struct json_out *j, const char *key, bool value);
void json_end(struct json_out *j);

#endif
