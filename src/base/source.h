/* SPDX-License-Identifier: GPL-2.0-or-later */
/* source.h - lines of source files, if the files can be read.  Each file is read once and kept.
 *
 * Only regular files of a reasonable size are opened, because a path in debug info may name anything. */
#ifndef BLACKOUT_BASE_SOURCE_H
#define BLACKOUT_BASE_SOURCE_H

#include <stddef.h>
#include <stdint.h>

struct sources;

struct sources *sources_new(void);
void sources_free(struct sources *sources);

/* Line `line` (from 1) without its end: *length bytes that are not zero-terminated.  NULL if there is no such line.
 * Valid until sources_free. */
const char *source_line(struct sources *sources, const char *path, uint32_t line, size_t *length);

#endif
