/* SPDX-License-Identifier: GPL-2.0-or-later */
/* output.h - what a recovery printed, kept so that it can be compared with what it should have printed.
 *
 *     struct output *got = output_new(rules);
 *     output_feed(got, bytes, size);                   // as often as bytes arrive, in pieces of any size
 *     output_end(got);
 *     struct output_body body = output_body(got, banner);
 *
 * An output is a sequence of lines of any bytes.  A line is kept as a hash, so outputs of any size can be compared, and
 * the first lines also as text, so that a report can show the first ones that differ.
 *
 * What counts:
 *
 *  1. A line ends with its newline, which belongs to it: "a" at the end of an output is not "a\n".  Lines longer than
 *     OUTPUT_LINE_MAX are cut into several, the same way in all outputs.
 *  2. Lines that match an `--ignore-output` are dropped before anything else.
 *  3. The banner of an output is what the same recovery prints on the same content when it has no operation to perform.
 *     Its first lines, as many as agree, are taken off the start of the output, and then the rest of it, as many lines
 *     as agree, off the end.  What is left is the body, and only bodies are compared.  A line of the banner that occurs
 *     in the body is not touched: a result "ok" counts even if the banner has such a line.  Each side of a comparison
 *     has its own banner.  That of a crash state takes a recovery more, so make it only when the outputs differ with
 *     the banner of an orderly content.
 *  4. Two bodies are compared line by line (compare.h).
 *
 * An output has a bound, so that a recovery that prints without end does not keep us forever: what comes after it is
 * dropped, and the output is marked as endless.  Endless outputs are equal if they are equal up to there. */
#ifndef BLACKOUT_OPS_OUTPUT_H
#define BLACKOUT_OPS_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum {
	OUTPUT_LINE_MAX = 1 << 20,   /* bytes */
	OUTPUT_HASHED_MAX = 1 << 22, /* lines with a hash of their own; later ones share one */
	OUTPUT_TEXT_MAX = 1 << 16,   /* bytes that are kept as text */
	OUTPUT_TEXT_LINE_MAX = 512,  /* of these, for one line */
	OUTPUT_HIDDEN_MAX = 2,
};

#define OUTPUT_BYTES_MAX (UINT64_C(1) << 26) /* of one recovery; what prints more prints without end */

/* ---- rules: the same for all outputs that are compared ---- */

struct output_rules;

/* An output may have `bytes_max` bytes before it counts as endless. */
struct output_rules *output_rules_new(uint64_t bytes_max);
void output_rules_free(struct output_rules *rules);

uint64_t output_rules_bound(const struct output_rules *rules);

/* Drop lines in which this POSIX extended regular expression matches; may be called several times.  The newline is not
 * part of what it sees. -1: it is not a regular expression, ERR_USAGE. */
int output_rules_ignore(struct output_rules *rules, const char *regex, struct err *err);

/* The expressions so far; valid until the next one or output_rules_free. */
const char *const *output_rules_ignored(const struct output_rules *rules, size_t *count);

/* ---- one output ---- */

struct output;

/* The rules must stay until output_free. */
struct output *output_new(const struct output_rules *rules);
void output_free(struct output *output); /* may be NULL */

/* What is fed to one of the two from now on, the other does not see. */
struct output *output_copy(const struct output *output);

/* Before the first byte: wherever the path occurs in a line, the word takes its place.  So outputs are equal if they differ
 * only in the path of a private file.  Both texts must stay until output_end.  At most OUTPUT_HIDDEN_MAX. */
void output_hide(struct output *output, const char *path, const char *word);

/* Add bytes.  False: the bound is reached, and more need not be read. */
bool output_feed(struct output *output, const void *bytes, size_t size);

/* That was all.  Everything below is for outputs that have ended. */
void output_end(struct output *output);

bool output_is_endless(const struct output *output);

/* 128 bits that are equal for equal outputs, to remember them by. */
struct output_digest {
	uint64_t low, high;
};
struct output_digest output_digest(const struct output *output);
bool output_same(const struct output *a, const struct output *b);

/* ---- bodies ---- */

/* An output without its banner; valid as long as the output. */
struct output_body {
	const struct output *output;
	size_t first, count; /* lines with hashes of their own */
	uint64_t rest;       /* lines after those */
};

/* `banner` may be NULL: there is none. */
struct output_body output_body(const struct output *output, const struct output *banner);

/* The hash of a line of the body, which is below `count`; and of all lines of the rest together. */
uint64_t output_line_hash(const struct output_body *body, size_t line);
uint64_t output_rest_hash(const struct output_body *body);

/* The text of a line of the body for messages (excerpt.h), or `absent` if it has no such line.  False: the text was not
 * kept. */
bool output_excerpt(const struct output_body *body, size_t line, const char *absent, char *text, size_t room);

#endif
