/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/memory.h"

#include <string.h>

static struct page *entry_page(const struct map_entry *entry)
{
	return (struct page *)(uintptr_t)entry->value;
}

void memory_free(struct memory *memory)
{
	for (size_t i = 0; i < memory->pages.room; i++) {
		struct page *page = entry_page(&memory->pages.entries[i]);

		if (!memory->pages.entries[i].used)
			continue;
		free(page->lines);
		free(page);
	}
	map_free(&memory->pages);
	vec_free(&memory->files);
}

struct pm_file *memory_file_new(struct memory *memory, uint32_t file)
{
	static const struct pm_file unknown;

	while (memory->files.count <= file)
		vec_push(&memory->files, unknown);
	return &memory->files.at[file];
}

struct page *memory_find_slowly(const struct memory *memory, uint32_t file, uint64_t offset)
{
	size_t at = (offset / PAGE_BYTES ^ file) & (MEMORY_RECENT - 1);
	const uint64_t *page;

	if (memory->recent[at].page && memory->recent[at].number == offset / PAGE_BYTES &&
	    memory->recent[at].file == file)
		return memory->recent[at].page;
	page = map_get(&memory->pages, offset / PAGE_BYTES, file);
	return page ? (struct page *)(uintptr_t)*page : NULL;
}

struct page *memory_page_slowly(struct memory *memory, uint32_t file, uint64_t offset)
{
	uint64_t number = offset / PAGE_BYTES, *slot = map_put(&memory->pages, number, file);
	size_t at = (number ^ file) & (MEMORY_RECENT - 1);

	if (!*slot)
		*slot = (uint64_t)(uintptr_t)mem_alloc(sizeof(struct page));
	memory->recent[at].number = number;
	memory->recent[at].file = file;
	memory->recent[at].page = (struct page *)(uintptr_t)*slot;
	return memory->recent[at].page;
}

bool memory_is_zero(const uint8_t *bytes, size_t size)
{
	return !bytes || !size || (!bytes[0] && !memcmp(bytes, bytes + 1, size - 1));
}

static void page_put(struct page *page, size_t within, const uint8_t *bytes, size_t size)
{
	if (bytes)
		memcpy(page->bytes + within, bytes, size);
	else
		memset(page->bytes + within, 0, size);
}

/* Zero a range that may be much larger than its data: visit only the pages that exist. */
static void zero_present(struct memory *memory, uint32_t file, uint64_t offset, uint64_t end)
{
	for (size_t i = 0; i < memory->pages.room; i++) {
		const struct map_entry *e = &memory->pages.entries[i];
		uint64_t from = e->key[0] * PAGE_BYTES, to = from + PAGE_BYTES;

		if (!e->used || e->key[1] != file || to <= offset || from >= end)
			continue;
		from = from > offset ? from : offset;
		to = to < end ? to : end;
		page_put(entry_page(e), from % PAGE_BYTES, NULL, to - from);
	}
}

void memory_put(struct memory *memory, uint32_t file, uint64_t offset, const uint8_t *bytes, uint64_t size)
{
	if (!bytes && size / PAGE_BYTES > memory->pages.room) {
		zero_present(memory, file, offset, offset + size);
		return;
	}
	while (size) {
		size_t within = offset % PAGE_BYTES;
		size_t n = size < PAGE_BYTES - within ? size : PAGE_BYTES - within;
		struct page *page = memory_find(memory, file, offset);

		if (!page && !memory_is_zero(bytes, n))
			page = memory_page(memory, file, offset);
		if (page)
			page_put(page, within, bytes, n);
		bytes = bytes ? bytes + n : NULL;
		offset += n;
		size -= n;
	}
}

struct piece {
	uint64_t offset;
	size_t size;
	uint8_t bytes[PAGE_BYTES];
};

static void page_forget(struct page *page)
{
	page->written = 0;
	for (size_t i = 0; page->lines && i < PAGE_LINES; i++) {
		page->lines[i].stored_context = 0;
		page->lines[i].silent = 0;
		page->lines[i].flushed = false;
	}
}

void memory_shift(struct memory *memory, uint32_t file, uint64_t from, uint64_t to)
{
	uint64_t low = from < to ? from : to;
	VEC_OF(struct piece) pieces = {0};

	for (size_t i = 0; i < memory->pages.room; i++) {
		const struct map_entry *e = &memory->pages.entries[i];
		uint64_t start = e->key[0] * PAGE_BYTES, end = start + PAGE_BYTES;
		struct piece piece = {.offset = start > from ? start : from};

		if (!e->used || e->key[1] != file || end <= low)
			continue;
		page_forget(entry_page(e));
		if (end <= from)
			continue;
		piece.size = end - piece.offset;
		memcpy(piece.bytes, entry_page(e)->bytes + piece.offset % PAGE_BYTES, piece.size);
		vec_push(&pieces, piece);
	}
	zero_present(memory, file, low, UINT64_MAX);
	for (size_t i = 0; i < pieces.count; i++)
		memory_put(memory, file, pieces.at[i].offset - from + to, pieces.at[i].bytes, pieces.at[i].size);
	vec_free(&pieces);
}
