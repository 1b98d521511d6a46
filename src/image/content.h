/* SPDX-License-Identifier: GPL-2.0-or-later */
/* content.h - the content of each PM file at a point of the trace, as the program itself sees it.
 *
 *     struct content *c = content_new();
 *     while (trace_next(t, &ev, &err) > 0)
 *             content_apply(c, &ev);
 *     content_write(c, file, fd, &err);
 *     content_free(c);
 *
 * Everything takes effect in the sequence of the events; this module does not model what a crash would leave.  The
 * rules:
 *
 *  1. A FILE event (re)starts a file with its size and only zeros; CONTENT fills it.
 *  2. Stores and CONTENT change bytes below the size.  A store beyond it, in the last page of a mapping, is lost.
 *  3. FILE_WRITE grows the file as needed.  Shrinking drops the bytes cut off: growing again shows zeros.
 *  4. FILE_ALLOCATE changes size and bytes as fallocate(2) specifies for its mode.
 *  5. RENAME and UNLINK change only the name; the bytes remain.
 *  6. A name belongs to the file that got it last: another file that had it loses it.
 *
 * Memory is used only for pages of 4 KiB that held a non-zero byte at some time, so the cost of a sparse pool is that
 * of its data. */
#ifndef BLACKOUT_IMAGE_CONTENT_H
#define BLACKOUT_IMAGE_CONTENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "image/pages.h"
#include "trace/trace.h"

struct content;

struct content *content_new(void);
void content_free(struct content *content);

/* Apply one event.  Events must come from one trace, in sequence; events that change no file are ignored. */
void content_apply(struct content *content, const struct event *ev);

/* Is this file known yet?  For an unknown file the functions below return "empty". */
bool content_knows(const struct content *content, uint32_t file);

uint64_t content_size(const struct content *content, uint32_t file);

/* Copy up to `size` bytes from `offset` on into `buffer`.  Return the number of bytes there are before the end of the
 * file. */
size_t content_read(const struct content *content, uint32_t file, uint64_t offset, void *buffer, size_t size);

/* Return the current path of the file, after its last rename, or NULL if its last link is gone.  Valid until the next
 * event. */
const char *content_path(const struct content *content, uint32_t file);

/* Number of pages of memory that the file uses. */
size_t content_pages(const struct content *content, uint32_t file);

/* Make the regular file `fd` equal to `file`: same size and bytes, with holes where there is no data. */
int content_write(const struct content *content, uint32_t file, int fd, struct err *err);

/* Make a copy.  It shares its pages until they change; both contents must be used by the same thread. */
struct content *content_copy(const struct content *content);

/* Change bytes below the size of a file, as a store does. */
void content_put(struct content *content, uint32_t file, uint64_t offset, const uint8_t *bytes, size_t size);

/* Ids run from 1 to this number. */
uint32_t content_file_count(const struct content *content);

/* Return a page of IMAGE_PAGE bytes, with zeros beyond the end of the file; NULL if it is all zeros.  Valid until the
 * next change. */
const uint8_t *content_page(const struct content *content, uint32_t file, uint64_t number);

/* Return the numbers of the existing pages, ascending.  The caller frees the array. */
uint64_t *content_page_numbers(const struct content *content, uint32_t file, size_t *count);

/* A watcher learns which pages changed since it last settled; at first, all existing pages count as changed. -1: there
 * are already WATCHERS_MAX watchers. */
int content_watch(struct content *content);
void content_unwatch(struct content *content, int watcher);

/* The changed pages.  A page may be listed more than once, and may no longer exist.  Valid until the next change. */
const struct page_ref *content_changes(const struct content *content, int watcher, size_t *count);
void content_settle(struct content *content, int watcher);

#endif
