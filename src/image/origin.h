/* SPDX-License-Identifier: GPL-2.0-or-later */
/* origin.h - what a first pass over a trace must collect for a second one that builds crash states.
 *
 *     struct origin *origin = origin_new();
 *     while (trace_next(t, &ev, &err) > 0)
 *             origin_apply(origin, &ev);                    // pass 1: cheap, looks only at events about files
 *     struct image *image = image_new(platform, origin);       // pass 2
 *
 *  1. Files that existed before the recording, with their content.  The trace announces a file when it is first mapped;
 *     a crash before that leaves the file as it was, not absent.
 *  2. Every path that a PM file has at any time, and the directories of these paths.  Recovery must find each of them
 *     in its own private stage: the path DIRECTORY/NAME, in directory number K, is STAGE/K/NAME there.  Paths are as in
 *     the trace: absolute, canonical. */
#ifndef BLACKOUT_IMAGE_ORIGIN_H
#define BLACKOUT_IMAGE_ORIGIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "image/content.h"
#include "trace/trace.h"

struct origin;

struct origin *origin_new(void);
void origin_free(struct origin *origin);

/* Process one event.  Events must come in sequence.  Either pass all of them, or only those for which origin_wants is
 * true. */
void origin_apply(struct origin *origin, const struct event *ev);

static inline bool origin_wants(const struct event *ev)
{
	return ev->type == EVENT_FILE || ev->type == EVENT_CONTENT || ev->type == EVENT_FILE_RENAME ||
	       ev->type == EVENT_FILE_TRUNCATE;
}

/* The paths, in the sequence of their first appearance; each once.  Valid until origin_free. */
size_t origin_path_count(const struct origin *origin);
const char *origin_path(const struct origin *origin, size_t index);

/* Their directories, likewise: "/pm", or "/" for the root directory. */
size_t origin_dir_count(const struct origin *origin);
const char *origin_dir(const struct origin *origin, size_t index);

/* Return the number of the directory that contains a path; *name is its name there and points into `path`. -1 if the
 * path is not known. */
int origin_place(const struct origin *origin, const char *path, const char **name);

/* Add a path, so that it gets a place.  Return false unless it is absolute and not the path of a directory that always
 * exists. */
bool origin_add_path(struct origin *origin, const char *path);

/* Add a directory; it gets the next number. */
void origin_add_dir(struct origin *origin, const char *path);

/* The files that existed before, under their ids in the trace. */
const struct content *origin_content(const struct origin *origin);

/* Bytes of the files that existed before, without holes. */
uint64_t origin_bytes(const struct origin *origin);

#endif
