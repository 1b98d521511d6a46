/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pages.h - the bytes of one file, as pages of 4 KiB; an absent page is all zeros.
 *
 *     struct pages pages = {.watch = &watch, .file = 1};       // otherwise zero: empty
 *     pages_put(&pages, offset, bytes, size);
 *     pages_free(&pages);
 *
 * Copies share bytes until one of them changes (pages_share).
 *
 * Watchers learn which pages have changed.  Each has a bit, and a list of the pages that changed since it last settled.
 * If the bit is set for a page, the page is not in that watcher's list yet.  So after the first change, further changes
 * of a page cost only one test. */
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
	uint64_t used; /* a bit for each watcher in use */
	VEC_OF(struct page_ref) lists[WATCHERS_MAX];
};

struct pages {
	struct map map;      /* page number -> struct image_page */
	struct watch *watch; /* or NULL */
	uint32_t file;       /* its id for the watchers */

	/* Recently used pages. */
	struct {
		uint64_t number;
		struct image_page *page; /* NULL: none */
	} recent[PAGES_RECENT];
};

void pages_free(struct pages *pages);

/* Make all bytes zero. */
void pages_clear(struct pages *pages);

/* Return the bytes of a page, or NULL if the page is absent, that is, all zeros. */
const uint8_t *pages_find(const struct pages *pages, uint64_t number);

/* Copy bytes, or zeros if `bytes` is NULL.  Zeros do not create a page. */
void pages_put(struct pages *pages, uint64_t offset, const uint8_t *bytes, uint64_t size);

/* Zero a range that may be much larger than its data. */
void pages_zero(struct pages *pages, uint64_t offset, uint64_t size);

/* Move the bytes from `from` on to `to`.  The bytes between are dropped (to < from), or become zero (to > from). */
void pages_shift(struct pages *pages, uint64_t from, uint64_t to);

/* Give `to`, which must be empty, the same bytes. */
void pages_share(struct pages *to, const struct pages *from);

/* Return the numbers of all existing pages, ascending.  The caller frees the array. */
uint64_t *pages_numbers(const struct pages *pages, size_t *count);

/* Put all pages into the list of a watcher. */
void pages_list_all(const struct pages *pages, unsigned watcher);

/* The watcher has seen the current state of the page: it is no longer in its list. */
void pages_seen(struct pages *pages, uint64_t number, unsigned watcher);

bool bytes_are_zero(const uint8_t *bytes, size_t size);

#endif
