/* SPDX-License-Identifier: GPL-2.0-or-later */
/* out.h - print millions of lines on standard output, with a large buffer, and formatting without format strings.
 *
 *     struct out *out = out_open(STDOUT_FILENO);
 *     out_text(out, "store"); out_pad(out, 20); out_hex(out, addr); out_char(out, '\n');
 *     status = out_close(out, &err);
 *
 * A failed write is remembered, and later output is discarded; out_failed lets long loops stop early.  If the reader
 * has gone away (`| head`), that is not an error: the command ends quietly. */
#ifndef BLACKOUT_CLI_OUT_H
#define BLACKOUT_CLI_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct out;

/* Also ignores SIGPIPE for the rest of the process, so that a closed pipe is an error of write(2). */
struct out *out_open(int fd);

/* Write the rest and free. -1 if a write failed, unless the reader has gone away. */
int out_close(struct out *out, struct err *err);

bool out_failed(const struct out *out);

void out_char(struct out *out, char c);
void out_text(struct out *out, const char *text);
void out_number(struct out *out, uint64_t value);
void out_hex(struct out *out, uint64_t value);                     /* 0x1f */
void out_bytes(struct out *out, const uint8_t *data, size_t size); /* 001f..., in memory order */

/* Print a name, which may contain any bytes, as one word: spaces, control characters and backslashes become \ooo. */
void out_word(struct out *out, const char *word);

/* 1 234 567, right-aligned in `width` columns. */
void out_grouped(struct out *out, uint64_t value, unsigned width);

/* Print spaces up to that column of the line, at least two. */
void out_pad(struct out *out, size_t column);

#endif
