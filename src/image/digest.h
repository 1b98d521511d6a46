/* SPDX-License-Identifier: GPL-2.0-or-later */
/* digest.h - 128 bits that stand for the content of all PM files.
 *
 * The digest of a content is a sum, modulo 2^128, of one number for each line of 64 bytes that is not all zero, made of
 * the file's path, the number of the line and its bytes, and of one number for each file, made of its path and its
 * size.  A sum can be mended where something changed: what was there is subtracted, what is there now added.  A file
 * without a name counts for nothing. */
#ifndef BLACKOUT_IMAGE_DIGEST_H
#define BLACKOUT_IMAGE_DIGEST_H

#include <stdbool.h>
#include <stdint.h>

#include "image/content.h"

#define DIGEST_LINE 64u

struct digest {
	uint64_t low, high;
};

static inline bool digest_equal(struct digest a, struct digest b)
{
	return a.low == b.low && a.high == b.high;
}

static inline struct digest digest_add(struct digest a, struct digest b)
{
	struct digest sum = {a.low + b.low, a.high + b.high};

	sum.high += sum.low < a.low;
	return sum;
}

static inline struct digest digest_subtract(struct digest a, struct digest b)
{
	struct digest rest = {a.low - b.low, a.high - b.high};

	rest.high -= a.low < b.low;
	return rest;
}

/* What a line counts for; `path` is digest_path of its file. */
struct digest digest_line(uint64_t path, uint64_t line, const uint8_t bytes[DIGEST_LINE]);
uint64_t digest_path(const char *path);

/* The digest of a content that changes, kept up to date page by page. */
struct digests;

/* `content` must live as long. */
struct digests *digests_new(struct content *content);
void digests_free(struct digests *digests);

/* The digest of the content as it is now: costs the pages that changed since the last call. */
struct digest digests_now(struct digests *digests);

/* The same from scratch. */
struct digest digest_content(const struct content *content);

#endif
