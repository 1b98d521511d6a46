/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bytes.h - who stored the bytes of PM last, and which places cover them.
 *
 *     uint32_t *words = bytes_words(&bytes, file, offset, &count);   // words from there to the end of the page
 *     bytes_store(&bytes, file, offset, size, writer);
 *     n = bytes_writers(&bytes, file, offset, size, writers);        // who stored these bytes
 *
 * A writer is a number that the caller chooses; 0: nobody.  Bytes are kept by words of 8.  The value of a word is its
 * writer, or stands for a combination of writers; it changes if and only if they do. */
#ifndef BLACKOUT_INVARIANTS_BYTES_H
#define BLACKOUT_INVARIANTS_BYTES_H

#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "base/slab.h"
#include "base/vec.h"

#define BYTES_PAGE 4096u
#define BYTES_WORD 8u
#define BYTES_WRITERS 32 /* most writers that bytes_writers tells of a range */

struct bytes_page {
	uint32_t words[BYTES_PAGE / BYTES_WORD]; /* writers; stays where it is */
	uint32_t links[BYTES_PAGE / BYTES_WORD]; /* 1 + index in bytes.links of the first; 0: none */
};

/* A place that covers part of a word. */
struct bytes_link {
	uint32_t place;
	uint32_t next; /* 1 + index; 0: the last */
};

struct bytes {
	struct map pages; /* (file, page) -> 1 + index in page_list */
	VEC_OF(struct bytes_page *) page_list;
	uint64_t last_file, last_page; /* accesses are close together */
	struct bytes_page *last;
	struct slab mixes;     /* struct bytes_mix: words with several writers */
	struct map mix_values; /* hash of the writers -> 1 + index in mixes */
	VEC_OF(struct bytes_link) links;
	uint64_t changes; /* of the value of any word, so far */
};

void bytes_init(struct bytes *bytes);
void bytes_free(struct bytes *bytes);

/* The words of a page from the one at `offset`, and how many of them belong to the next `size` bytes.  They stay where
 * they are. */
const uint32_t *bytes_words(struct bytes *bytes, uint32_t file, uint64_t offset, uint64_t size, size_t *count);

void bytes_store(struct bytes *bytes, uint32_t file, uint64_t offset, uint64_t size, uint32_t writer);

/* Different writers of a range, at most BYTES_WRITERS; nobody does not count. */
size_t bytes_writers(struct bytes *bytes, uint32_t file, uint64_t offset, uint64_t size,
		     uint32_t writers[BYTES_WRITERS]);

/* Remember that a place covers a range. */
void bytes_link(struct bytes *bytes, uint32_t file, uint64_t offset, uint64_t size, uint32_t place);

/* The first link of the word at `offset`, or 0; and what is behind a link. */
uint32_t bytes_first_link(const struct bytes *bytes, uint32_t file, uint64_t offset);
static inline struct bytes_link bytes_link_at(const struct bytes *bytes, uint32_t link)
{
	return bytes->links.at[link - 1];
}

#endif
