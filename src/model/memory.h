/* SPDX-License-Identifier: GPL-2.0-or-later */
/* memory.h - the PM files as the program sees them now, and a record for each cache line that was stored to or flushed.
 *
 * Bytes are kept by pages: a page that is absent is all zeros.  They serve one question, asked for every unit: is it
 * silent?  They follow the rules of image/content.h, which answers for whole files; here a store must cost a few
 * nanoseconds. */
#ifndef BLACKOUT_MODEL_MEMORY_H
#define BLACKOUT_MODEL_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "base/vec.h"

#define LINE_BYTES 64u
#define PAGE_BYTES 4096u
#define PAGE_LINES (PAGE_BYTES / LINE_BYTES)

/* What stays of a line while nothing is pending on it.  There is one for every line that the program ever stored to or
 * flushed. */
struct line {
	struct dirty *dirty;   /* what is pending on it (pending.h), or NULL */
	struct flush *flushes; /* by threads that have not fenced since: at most one each */

	/* For the observer. */
	uint64_t stored_offset; /* the last store to it */
	uint64_t flushed_offset;
	uint32_t stored_size, stored_context;
	uint32_t flushed_context, flushed_thread;
	uint32_t silent; /* stores without a pending unit that nobody has flushed */
	bool flushed;    /* since the last store */
};

struct page {
	uint8_t bytes[PAGE_BYTES];
	struct line *lines; /* PAGE_LINES, or NULL if none was stored to or flushed */
	uint64_t written;   /* lines written by system calls and not flushed since, a bit each */
};

struct pm_file {
	bool known;    /* announced: the size holds */
	bool unlinked; /* no name is left */
	bool mapped;   /* by somebody */
	size_t maps;   /* how often, while that is being counted */
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

/* The file, made up if it is new.  Valid until the next new file. */
struct pm_file *memory_file_new(struct memory *memory, uint32_t file);

static inline struct pm_file *memory_file(struct memory *memory, uint32_t file)
{
	return file < memory->files.count ? &memory->files.at[file] : memory_file_new(memory, file);
}

/* The page that holds an offset, if it was used a moment ago, as nearly always; otherwise NULL. */
static inline struct page *memory_recent(const struct memory *memory, uint32_t file, uint64_t offset)
{
	uint64_t number = offset / PAGE_BYTES;
	size_t at = (number ^ file) & (MEMORY_RECENT - 1);

	return memory->recent[at].number == number && memory->recent[at].file == file ? memory->recent[at].page : NULL;
}

/* The page that holds an offset: NULL if it is absent, or made if it is. */
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

/* The line of a page that holds an offset. */
static inline struct line *page_line(struct page *page, uint64_t offset)
{
	if (!page->lines)
		page->lines = mem_alloc(PAGE_LINES * sizeof(*page->lines));
	return &page->lines[offset % PAGE_BYTES / LINE_BYTES];
}

/* NULL stands for zeros. */
bool memory_is_zero(const uint8_t *bytes, size_t size);

/* Change bytes, whatever the size of the file says; NULL stands for zeros. */
void memory_put(struct memory *memory, uint32_t file, uint64_t offset, const uint8_t *bytes, uint64_t size);

/* Bytes from `from` on move to `to`; those between are dropped (to < from), or are zero (to > from).  Lines forget
 * their stores. */
void memory_shift(struct memory *memory, uint32_t file, uint64_t from, uint64_t to);

/* How many bytes of [offset, offset + size) are in the file. */
static inline uint64_t memory_clip(const struct pm_file *file, uint64_t offset, uint64_t size)
{
	if (!file->known)
		return size;
	if (offset >= file->size)
		return 0;
	return size < file->size - offset ? size : file->size - offset;
}

#endif
