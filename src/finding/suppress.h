/* SPDX-License-Identifier: GPL-2.0-or-later */
/* suppress.h - findings that somebody has looked at and does not want to hear of again.
 *
 *     # a comment
 *     [transient-data]
 *     reason: statistics, rebuilt at every start
 *     fun:bucket_find file:*kv.c
 *     ...
 *     fun:main module:kv
 *
 * An entry starts with a kind in brackets, which may be a pattern ([redundant-*]).  `reason:` is mandatory.  Then come
 * frames, one per line: conditions fun:, file: (source path or its base name) and module: (base name), all of which
 * must hold; patterns are those of fnmatch(3); one with blanks in it stands in double quotes.  The first frame is the
 * finding's location, the next its caller, and so on; `...` stands for any number of frames, none included, and as the
 * first frame makes the search start at the innermost frame of the stack, in whatever library.  Without frames the
 * entry holds everywhere.  The callers are those of the stack that the report shows: other stacks that lead to the same
 * location are the same finding.  `fingerprint: HEX` limits an entry to that finding.
 *
 *     struct suppress *s;
 *     if (suppress_read(&s, path, &err) < 0) ...           // status 2; the sentence names line and column
 *     suppress_apply(s, findings);
 *     suppress_note_unused(s, findings);                   // adds notes
 *     suppress_free(s);
 */
#ifndef BLACKOUT_FINDING_SUPPRESS_H
#define BLACKOUT_FINDING_SUPPRESS_H

#include <stdio.h>

#include "finding/finding.h"

struct suppress;

/* Read a file; or parse `size` bytes that are called `name` in errors. */
int suppress_read(struct suppress **suppress, const char *path, struct err *err);
int suppress_parse(struct suppress **suppress, const char *name, const char *text, size_t size, struct err *err);
void suppress_free(struct suppress *suppress);

/* Mark the active findings that an entry matches. */
void suppress_apply(struct suppress *suppress, struct findings *findings);

/* A note in `findings` for each entry that matched nothing in all suppress_apply so far. */
void suppress_note_unused(const struct suppress *suppress, struct findings *findings);

/* --write-suppressions: entries for all active findings, ready to be read back; every reason says that it is not
 * examined yet. */
int suppress_write(const struct findings *findings, const char *path, struct err *err);

#endif
