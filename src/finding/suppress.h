/* SPDX-License-Identifier: GPL-2.0-or-later */
/* suppress.h - suppressions: findings that somebody has examined and does not want to see again.
 *
 *     # a comment
 *     [transient-data]
 *     reason: statistics, rebuilt at every start
 *     fun:bucket_find file:*kv.c
 *     ...
 *     fun:main module:kv
 *
 * An entry starts with a kind in brackets, which may be a pattern ([redundant-*]).  `reason:` is mandatory.  Then come
 * frames, one per line.  A frame has conditions fun:, file: (source path or its base name) and module: (base name), all
 * of which must hold.  Patterns are those of fnmatch(3); a pattern with blanks must be in double quotes.  The first
 * frame is the finding's location, the next its caller, and so on.  `...` stands for any number of frames, including
 * none.  As the first frame, it makes the search start at the innermost frame of the stack, even inside a library.
 * Without frames the entry matches everywhere.  The callers are those of the stack that the report shows; other stacks
 * that lead to the same location are the same finding.  `fingerprint: HEX` limits an entry to that finding.
 *
 *     struct suppress *s;
 *     if (suppress_read(&s, path, &err) < 0) ...           // status 2; the sentence names line and column
 *     suppress_apply(s, findings);
 *     suppress_note_unused(s, findings);                   // adds notes
 *     suppress_free(s); */
#ifndef BLACKOUT_FINDING_SUPPRESS_H
#define BLACKOUT_FINDING_SUPPRESS_H

#include <stdio.h>

#include "finding/finding.h"

struct suppress;

/* Read a file, or parse `size` bytes; errors refer to them as `name`. */
int suppress_read(struct suppress **suppress, const char *path, struct err *err);
int suppress_parse(struct suppress **suppress, const char *name, const char *text, size_t size, struct err *err);
void suppress_free(struct suppress *suppress);

/* Marks the active findings that an entry matches. */
void suppress_apply(struct suppress *suppress, struct findings *findings);

/* Adds a note to `findings` for each entry that no suppress_apply so far has matched. */
void suppress_note_unused(const struct suppress *suppress, struct findings *findings);

/* --write-suppressions: writes entries for all active findings, ready to be read back.  Every reason says that the
 * finding has not been examined yet. */
int suppress_write(const struct findings *findings, const char *path, struct err *err);

#endif
