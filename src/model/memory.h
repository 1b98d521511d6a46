/* SPDX-License-Identifier: GPL-2.0-or-later */
/* memory.h - the PM files as the program currently sees them, and a record for each cache line that was stored to or
 * flushed.
 *
 * Bytes are kept in pages; an absent page is all zeros.  They are used only to test whether a unit is silent, which is
 * done for every unit.  They follow the rules of image/content.h, which is for whole files; here a store must cost only
 * a few nanoseconds. */
#ifndef BLACKOUT_MODEL_MEMORY_H
#define BLACKOUT_MODEL_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/line.h"
#include "base/map.h"
#include "base/vec.h"

#define PAGE_BYTES 4096u
#define PAGE_LINES (PAGE_BYTES / LINE_BYTES)

/* The part of a line's state that remains while nothing is pending on it.  Each line that the program ever stored to or
 * flushed has one. */
struct line {
	struct dirty *dirty;   /* pending units of the line (pending.h), or NULL */
	struct flush *flushes; /* flushes by threads that have not fenced since: at most one per thread */

	/* The rest is for the observer. */
	uint64_t stored_offset; /* of the last store to the line */
	uint64_t flushed_offset;
	uint32_t stored_size, stored_context;
	uint32_t flushed_context, flushed_thread;
	uint32_t silent; /* stores without a pending unit that were not flushed */
	bool flushed;    /* the line was flushed since the last store */
};

struct page {
	uint8_t bytes[PAGE_BYTES];
	struct line *lines; /* PAGE_LINES of them, or NULL if none was stored to or flushed */
	uint64_t written;   /* bit mask of lines that system calls wrote and that were not flushed since */
};

struct pm_file {
	bool known;    /* announced: the size is valid */
	bool unlinked; /* no name is left */
	bool mapped;   /* by any process */
	size_t maps;   /* number of mappings, only while they are being counted */
	uint64_t size;
};

#define MEMORY_RECENT 256u /* a power of two */

struct memory {
	VEC_OF(struct pm_file) files; /* by id; [0] is unused */
	struct map pages;             /* (file, page number) -> struct page */
	struct {
		uint64_t number;
		uint32_t file;
		struct page *page;
	} recent[MEMORY_RECENT];
};

void memory_free(struct memory *memory);

/* Return the file, created if it is new.  Valid until the next new file. */
struct pm_file *memory_file_new(struct memory *memory, uint32_t file);

static inline struct pm_file *memory_file(struct memory *memory, uint32_t file)
{
	return file < memory->files.count ? &memory->files.at[file] : memory_file_new(memory, file);
}

/* Return the page that contains an offset if it was used recently, as it nearly always was; otherwise NULL. */
static inline struct page *memory_recent(const struct memory *memory, uint32_t file, uint64_t offset)
{
	uint64_t number = offset / PAGE_BYTES;
	size_t at = (number ^ file) & (MEMORY_RECENT - 1);

	return memory->recent[at].number == number && memory->recent[at].file == file ? memory->recent[at].page : NULL;
}

/* Return the page that contains an offset: memory_find gives NULL if it is absent, memory_page creates it. */
struct page *memory_find_slowly(const struct memory *memory, uint32_t file, uint64_t offset);
struct page *memory_page_slowly(struct memory *memory, uint32_t file, uint64_t offset);

static inline struct page *memory_find(const struct memory *memory, uint32_t file, uint64_t offset)
{
	struct page *page = memory_recent(memory, file, offset);

	return page ? page : memory_find_slowly(memory, file, offset);
}

static inline struct page *memory_page(struct memory *memory, uint32_t file, uint64_t offset)
{
	struct page *page = memory_recent(memory, file, offset);

	return page ? page : memory_page_slowly(memory, file, offset);
}

/* Return the line of a page that contains an offset. */
static inline struct line *page_line(struct page *page, uint64_t offset)
{
	if (!page->lines)
		page->lines = mem_alloc(PAGE_LINES * sizeof(*page->lines));
	return &page->lines[offset % PAGE_BYTES / LINE_BYTES];
}

/* NULL stands for zeros. */
bool memory_is_zero(const uint8_t *bytes, size_t size);

/* Change bytes, even beyond the size of the file; NULL stands for zeros. */
void memory_put(struct memory *memory, uint32_t file, uint64_t offset, const uint8_t *bytes, uint64_t size);

/* Move the bytes from `from` on to `to`.  The bytes between are dropped (to < from), or become zero (to > from).  The
 * lines forget their stores. */
void memory_shift(struct memory *memory, uint32_t file, uint64_t from, uint64_t to);

/* The number of bytes of [offset, offset + size) that are inside the file. */
static inline uint64_t memory_clip(const struct pm_file *file, uint64_t offset, uint64_t size)
{
	if (!file->known)
		return size;
	if (offset >= file->size)
		return 0;
	return size < file->size - offset ? size : file->size - offset;
}

#endif
