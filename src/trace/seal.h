/* SPDX-License-Identifier: GPL-2.0-or-later */
/* seal.h - finish a recording after its writer is gone.
 *
 * The recorder leaves its last chunk open, in a file that is longer than its content; so does a target that was killed.
 * Sealing closes these chunks with their checksums, truncates the files, compresses them if asked, and appends the
 * facts that are only known at the end.
 *
 *     struct seal_meta metas[] = {{"outcome", "exit 0"}, {"seconds", "1.93"}};
 *     struct seal_options options = {.compress = false, .metas = metas, .meta_count = 2};
 *     if (trace_seal("blackout.out", &options, &err) < 0) ...
 *
 * Sealing may be killed at any time and run again: until its last step every file reads as before.  A recording that is
 * already sealed keeps its facts; sealing it again with `compress` compresses it.  No other process may read or write
 * the recording meanwhile. */
#ifndef BLACKOUT_TRACE_SEAL_H
#define BLACKOUT_TRACE_SEAL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

struct chunk;
struct chunk_file;

/* The first record of the chunk that ends a sealed recording: META "sealed" "1". */
#define SEAL_MARK            \
	"\x04\x06sealed\x01" \
	"1"
#define SEAL_MARK_BYTES (sizeof(SEAL_MARK) - 1)

struct seal_meta {
	const char *key, *value;
};

struct seal_options {
	bool compress; /* with zstd, each chunk separately */
	const struct seal_meta *metas;
	size_t meta_count;
};

/* Seal the recording in `dir`.  A damaged file is not sealed: the result is -1, and the file stays unchanged. */
int trace_seal(const char *dir, const struct seal_options *options, struct err *err);

/* Is this the chunk that sealing appended? */
bool seal_is_mark(const struct chunk_file *file, const struct chunk *chunk);

#endif
