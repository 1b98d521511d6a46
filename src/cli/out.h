/* SPDX-License-Identifier: GPL-2.0-or-later */
/* out.h - print millions of lines on standard output: a large buffer and formatting without format strings.
 *
 *     struct out *out = out_open(STDOUT_FILENO);
 *     out_text(out, "store"); out_pad(out, 20); out_hex(out, addr); out_char(out, '\n');
 *     status = out_close(out, &err);
 *
 * A failed write is remembered and the rest swallowed; out_failed lets long loops stop early.  A reader that went away
 * (`| head`) is no error: the command ends, quietly. */
#ifndef BLACKOUT_CLI_OUT_H
#define BLACKOUT_CLI_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct out;

/* Also makes a closed pipe an error of write(2) instead of a signal, for the rest of the process. */
struct out *out_open(int fd);

/* Write what is left and free.  -1 if something could not be written, unless nobody wants it. */
int out_close(struct out *out, struct err *err);

/* Write what is buffered, so that what comes on stderr stands after it. */
void out_flush(struct out *out);

bool out_failed(const struct out *out);

void out_char(struct out *out, char c);
void out_text(struct out *out, const char *text);
void out_number(struct out *out, uint64_t value);
void out_hex(struct out *out, uint64_t value);                     /* 0x1f */
void out_bytes(struct out *out, const uint8_t *data, size_t size); /* 001f..., in order */

/* A name that may hold anything, as one word: blanks, control characters and backslashes become \ooo. */
void out_word(struct out *out, const char *word);

/* 1 234 567, right-aligned in `width` columns. */
void out_grouped(struct out *out, uint64_t value, unsigned width);

/* Blanks up to that column of the line, and at least two. */
void out_pad(struct out *out, size_t column);

#endif
