/* SPDX-License-Identifier: GPL-2.0-or-later */
/* content.h - what is in each PM file at a point of the trace, byte for byte, as the program itself sees it.
 *
 *     struct content *c = content_new();
 *     while (trace_next(t, &ev, &err) > 0)
 *             content_apply(c, &ev);
 *     content_write(c, file, fd, &err);
 *     content_free(c);
 *
 * Everything takes effect in the order of the events; what a crash would leave of it is not asked here.  The rules:
 *
 *  1. A FILE event (re)starts a file with its size and nothing but zeros; CONTENT fills it.
 *  2. Stores and CONTENT change bytes below the size.  A store beyond it, in the last page of a mapping, reaches no
 *     file.
 *  3. FILE_WRITE grows the file as needed.  Shrinking forgets what is cut: growing again shows zeros.
 *  4. FILE_ALLOCATE does to size and bytes what fallocate(2) says for its mode.
 *  5. RENAME and UNLINK change the name alone; the bytes live on.
 *  6. A name belongs to the file that got it last: another file that had it has none left.
 *
 * Memory is taken by pages of 4 KiB that hold a byte other than zero at some time, so a sparse pool costs what is in
 * it. */
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

/* Let one event take effect.  Events must come from one trace, in order; those that change no file are ignored. */
void content_apply(struct content *content, const struct event *ev);

/* Is this file known by now?  The calls below answer "empty" for one that is not. */
bool content_knows(const struct content *content, uint32_t file);

uint64_t content_size(const struct content *content, uint32_t file);

/* Copy up to `size` bytes from `offset` on into `buffer`; return how many there are before the file's end. */
size_t content_read(const struct content *content, uint32_t file, uint64_t offset, void *buffer, size_t size);

/* Where the file is now: the path after its last rename, or NULL once its last link is gone.  Valid until the next
 * event. */
const char *content_path(const struct content *content, uint32_t file);

/* Pages of memory that the file takes. */
size_t content_pages(const struct content *content, uint32_t file);

/* Make the regular file `fd` equal to `file`: its size, and its bytes with holes where nothing is. */
int content_write(const struct content *content, uint32_t file, int fd, struct err *err);

/* The same content once more.  It shares its pages until they change; both belong to one thread. */
struct content *content_copy(const struct content *content);

/* Change bytes below the size of a file, as a store does. */
void content_put(struct content *content, uint32_t file, uint64_t offset, const uint8_t *bytes, size_t size);

/* Ids run from 1 to this. */
uint32_t content_file_count(const struct content *content);

/* A page: IMAGE_PAGE bytes, zeros beyond the end of the file, valid until the next change; or NULL: all zeros. */
const uint8_t *content_page(const struct content *content, uint32_t file, uint64_t number);

/* The pages that are there, ascending.  The caller frees the array. */
uint64_t *content_page_numbers(const struct content *content, uint32_t file, size_t *count);

/* A watcher is told which pages changed since it last settled; at first, all that are there.  -1: there are
 * WATCHERS_MAX. */
int content_watch(struct content *content);
void content_unwatch(struct content *content, int watcher);

/* Pages may come more than once, and be gone.  Valid until the next change. */
const struct page_ref *content_changes(const struct content *content, int watcher, size_t *count);
void content_settle(struct content *content, int watcher);

#endif
