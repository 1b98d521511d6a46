/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pages.h - the bytes of one file, as pages of 4 KiB: a page that is absent is all zeros.
 *
 *     struct pages pages = {.watch = &watch, .file = 1};       // zero is empty
 *     pages_put(&pages, offset, bytes, size);
 *     pages_free(&pages);
 *
 * Bytes are shared between copies until one of them changes (pages_share).
 *
 * Watchers learn which pages have changed.  Each has a bit, and a list of the pages that changed since it last settled:
 * a page whose bit is set is not in that watcher's list, so a change to a page costs one test after the first. */
#ifndef BLACKOUT_IMAGE_PAGES_H
#define BLACKOUT_IMAGE_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "base/vec.h"

#define IMAGE_PAGE 4096u
#define WATCHERS_MAX 64u
#define PAGES_RECENT 32u /* a power of two */

struct page_ref {
	uint64_t number;
	uint32_t file;
};

/* The watchers of a set of files. */
struct watch {
	uint64_t used; /* a bit for each watcher */
	VEC_OF(struct page_ref) lists[WATCHERS_MAX];
};

struct pages {
	struct map map;      /* page number -> struct image_page */
	struct watch *watch; /* or NULL */
	uint32_t file;       /* as watchers know it */

	/* Pages that were touched a moment ago. */
	struct {
		uint64_t number;
		struct image_page *page; /* NULL: none */
	} recent[PAGES_RECENT];
};

void pages_free(struct pages *pages);

/* All zeros from now on. */
void pages_clear(struct pages *pages);

/* The bytes of a page, or NULL if they are all zero for want of a page. */
const uint8_t *pages_find(const struct pages *pages, uint64_t number);

/* Copy bytes, or zeros if `bytes` is NULL.  Zeros make no page. */
void pages_put(struct pages *pages, uint64_t offset, const uint8_t *bytes, uint64_t size);

/* Zero a range that may be far larger than what is in it. */
void pages_zero(struct pages *pages, uint64_t offset, uint64_t size);

/* Bytes from `from` on move to `to`; those between are dropped (to < from), or are zero (to > from). */
void pages_shift(struct pages *pages, uint64_t from, uint64_t to);

/* `to`, which must be empty, gets the same bytes. */
void pages_share(struct pages *to, const struct pages *from);

/* The numbers of all pages that are there, ascending; the caller frees the array. */
uint64_t *pages_numbers(const struct pages *pages, size_t *count);

/* Let a watcher know of all pages. */
void pages_tell(const struct pages *pages, unsigned watcher);

/* The page is known to the watcher as it is now: it is no longer in its list. */
void pages_seen(struct pages *pages, uint64_t number, unsigned watcher);

bool bytes_are_zero(const uint8_t *bytes, size_t size);

#endif
