/* SPDX-License-Identifier: GPL-2.0-or-later */
/* digest.h - 128 bits that represent the content of all PM files.
 *
 * The digest of a content is a sum, modulo 2^128.  Each line of 64 bytes that is not all zero contributes a number
 * computed from the file's path, the line number and the line's bytes.  Each file contributes a number computed from
 * its path and size.  A sum can be updated incrementally: subtract the old number, add the new one.  A file without a
 * name contributes nothing. */
#ifndef BLACKOUT_IMAGE_DIGEST_H
#define BLACKOUT_IMAGE_DIGEST_H

#include <stdbool.h>
#include <stdint.h>

#include "base/line.h"
#include "image/content.h"

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

/* The contribution of a line; `path` is digest_path of its file. */
struct digest digest_line(uint64_t path, uint64_t line, const uint8_t bytes[LINE_BYTES]);
uint64_t digest_path(const char *path);

/* The digest of a changing content, kept up to date page by page. */
struct digests;

/* `content` must live as long as the result. */
struct digests *digests_new(struct content *content);
void digests_free(struct digests *digests);

/* Return the digest of the current content.  The cost is that of the pages that changed since the last call. */
struct digest digests_now(struct digests *digests);

#endif
