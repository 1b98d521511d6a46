/* SPDX-License-Identifier: GPL-2.0-or-later */
/* snapshot.h - a crash state stored in a single file: all PM files, with their paths, sizes and bytes.
 *
 *     snapshot_write("blackout.out/crash/F1/state.img", image, state, &err);
 *
 *     struct snapshot *s;                                     // later, perhaps on another machine
 *     if (snapshot_read(&s, "F1/state.img", &err) < 0) ...
 *     struct image *image = snapshot_image(s);                // a fixed image: nothing is pending
 *     struct state *state = state_none(image);
 *     stage_load(stage_new(staging, image, &err), state, &err);       // see staging_open, snapshot_origin
 *     image_write(image, state, 1, fd, &err);                 // or one file of it, as a plain file
 *     snapshot_free(s);                                       // after staging_close
 *
 * The format is little-endian:
 *
 *     char     magic[8]        "BOSTATE1"
 *     uint64_t event           of the trace; the power failed after it
 *     uint64_t body_bytes      before compression
 *     uint64_t checksum        XXH3, 64 bit, of the body before compression
 *     body, compressed with zstd:
 *         uint64_t directories; for each of them, by number (origin.h)
 *             uint32_t path_bytes; the path, absolute, without a zero byte
 *         for each path that a PM file has in the recording, until the body ends
 *             uint32_t path_bytes; the path
 *             uint64_t size
 *             uint64_t extents, or UINT64_MAX: no file has this path in the state
 *             for each extent: ascending, without overlap, and inside the size
 *                 uint64_t offset, bytes; the bytes
 *
 * The bytes between the extents are zero.  Files without a name are left out. */
#ifndef BLACKOUT_IMAGE_SNAPSHOT_H
#define BLACKOUT_IMAGE_SNAPSHOT_H

#include "image/state.h"

struct snapshot;

/* Write a state of this moment to the file `path`, replacing an old one. */
int snapshot_write(const char *path, const struct image *image, const struct state *state, struct err *err);

/* Read it back.  A damaged or malicious file is an error. */
int snapshot_read(struct snapshot **snapshot, const char *path, struct err *err);
int snapshot_parse(struct snapshot **snapshot, const uint8_t *bytes, size_t size,
		   struct err *err); /* the same, from memory */
void snapshot_free(struct snapshot *snapshot);

/* Its content.  The event of its states is 0, whatever the header says.  The snapshot owns both results. */
struct image *snapshot_image(const struct snapshot *snapshot);
const struct origin *snapshot_origin(const struct snapshot *snapshot);

#endif
