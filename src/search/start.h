/* SPDX-License-Identifier: GPL-2.0-or-later */
/* start.h - the files as they were when the search began: each execution gets private copies of them.
 *
 *     struct start *start = start_new();
 *     start_add_file(start, "/pm/pool", &err);          // the user's file as it is now; also one that does not exist
 *     start_add_dir(start, "/pm");                      // what an execution creates there stays private
 *     ... executions run on start_image(start), at the places of start_origin(start) ...
 *     if (start_learn(start, recording, &err) > 0)      // the program has used PM files that were not known
 *             ... and some are the user's own: start_learn has put them back ...
 *     start_free(start);
 *
 * A recording has the content that its PM files had before.  So even a file that nobody expected can be put back. */
#ifndef BLACKOUT_SEARCH_START_H
#define BLACKOUT_SEARCH_START_H

#include <stdbool.h>

#include "base/err.h"
#include "image/image.h"

struct start;

struct start *start_new(void);
void start_free(struct start *start);

/* Paths are absolute and canonical.  Adding a file twice is fine. -1: it exists, but cannot be read. */
int start_add_file(struct start *start, const char *path, struct err *err);
void start_add_dir(struct start *start, const char *path);
bool start_has(const struct start *start, const char *path);

/* Is the file there when an execution begins? */
bool start_exists(const struct start *start, const char *path);

/* Add the PM files of a recording that are not known yet, and put the user's own files back if the run could change
 * them.  Returns how many were put back; -1: one could not be, or the recording cannot be read. */
int start_learn(struct start *start, const char *recording, struct err *err);

/* Valid until a file is added. */
const struct origin *start_origin(const struct start *start);
struct image *start_image(struct start *start);

#endif
