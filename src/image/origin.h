/* SPDX-License-Identifier: GPL-2.0-or-later */
/* origin.h - what a first reading of a trace must remember for a second one that builds crash states.
 *
 *     struct origin *origin = origin_new();
 *     while (trace_next(t, &ev, &err) > 0)
 *             origin_apply(origin, &ev);                    // pass 1: cheap, looks at events about files alone
 *     struct image *image = image_new(platform, origin);       // pass 2
 *
 *  1. Files that were there before the recording, with their content.  The trace tells of a file when it is first
 *     mapped; a crash before that moment leaves it as it was, and not absent.
 *  2. Every path that a PM file has at any time, and the directories of these paths.  Recovery must find each of them
 *     in its own private place: the path DIRECTORY/NAME, of the directory number K, is ROOT/K/NAME there.  Paths are as
 *     in the trace: absolute, canonical. */
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

/* Take note of one event.  Events must come in order; all may be handed over, or only those for which origin_wants is
 * true. */
void origin_apply(struct origin *origin, const struct event *ev);

static inline bool origin_wants(const struct event *ev)
{
	return ev->type == EVENT_FILE || ev->type == EVENT_CONTENT || ev->type == EVENT_FILE_RENAME ||
	       ev->type == EVENT_FILE_TRUNCATE;
}

/* The paths, in the order in which they appeared; each once.  Valid until origin_free. */
size_t origin_path_count(const struct origin *origin);
const char *origin_path(const struct origin *origin, size_t index);

/* Their directories, likewise: "/pm", or "/" for the root. */
size_t origin_dir_count(const struct origin *origin);
const char *origin_dir(const struct origin *origin, size_t index);

/* The number of the directory in which a path lies; its name there is *name, a part of `path`.  -1 if the path is none
 * of ours. */
int origin_place(const struct origin *origin, const char *path, const char **name);

/* One more path that shall have a place: absolute, and not that of a directory that is always there; otherwise
 * false. */
bool origin_add_path(struct origin *origin, const char *path);

/* One more directory, so that it has the next number. */
void origin_add_dir(struct origin *origin, const char *path);

/* The files that were there, under the ids that they have in the trace. */
const struct content *origin_content(const struct origin *origin);

/* Bytes of the files that were there, without their holes. */
uint64_t origin_bytes(const struct origin *origin);

#endif
