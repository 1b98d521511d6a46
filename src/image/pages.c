/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "image/pages.h"

#include <string.h>

/* Bytes of one page, or shared by several copies of it. */
struct block {
	size_t shared; /* number of other pages that share it */
	uint8_t bytes[IMAGE_PAGE];
};

struct image_page {
	uint64_t fresh; /* a bit for each watcher that does not have it in its list */
	struct block *block;
};

static struct image_page *entry_page(const struct map_entry *entry)
{
	return (struct image_page *)(uintptr_t)entry->value;
}

static struct image_page *page_find(const struct pages *pages, uint64_t number)
{
	const uint64_t *page = map_get(&pages->map, number, 0);

	return page ? (struct image_page *)(uintptr_t)*page : NULL;
}

static struct image_page *page_recent(struct pages *pages, uint64_t number)
{
	size_t at = number % PAGES_RECENT;

	if (!pages->recent[at].page || pages->recent[at].number != number) {
		pages->recent[at].page = page_find(pages, number);
		pages->recent[at].number = number;
	}
	return pages->recent[at].page;
}

static void recent_forget(struct pages *pages)
{
	memset(pages->recent, 0, sizeof(pages->recent));
}

/* Watchers */

static void tell(const struct pages *pages, uint64_t number, uint64_t watchers)
{
	for (; watchers; watchers &= watchers - 1) {
		struct page_ref ref = {number, pages->file};

		vec_push(&pages->watch->lists[__builtin_ctzll(watchers)], ref);
	}
}

static void page_changes(const struct pages *pages, struct image_page *page, uint64_t number)
{
	if (page->fresh) {
		tell(pages, number, page->fresh & pages->watch->used);
		page->fresh = 0;
	}
}

void pages_list_all(const struct pages *pages, unsigned watcher)
{
	for (size_t i = 0; i < pages->map.room; i++) {
		if (pages->map.entries[i].used)
			tell(pages, pages->map.entries[i].key[0], UINT64_C(1) << watcher);
	}
}

void pages_seen(struct pages *pages, uint64_t number, unsigned watcher)
{
	struct image_page *page = page_find(pages, number);

	if (page)
		page->fresh |= UINT64_C(1) << watcher;
}

/* Pages */

static void map_drop(struct map *map)
{
	for (size_t i = 0; i < map->room; i++) {
		struct block *block;

		if (!map->entries[i].used)
			continue;
		block = entry_page(&map->entries[i])->block;
		if (block->shared)
			block->shared--;
		else
			free(block);
		free(entry_page(&map->entries[i]));
	}
	map_free(map);
}

void pages_free(struct pages *pages)
{
	map_drop(&pages->map);
	recent_forget(pages);
}

static void pages_change_all(const struct pages *pages)
{
	for (size_t i = 0; i < pages->map.room; i++) {
		if (pages->map.entries[i].used)
			page_changes(pages, entry_page(&pages->map.entries[i]), pages->map.entries[i].key[0]);
	}
}

void pages_clear(struct pages *pages)
{
	pages_change_all(pages);
	pages_free(pages);
}

/* No watcher knows the page yet. */
static struct image_page *page_make(struct pages *pages, uint64_t number)
{
	struct image_page *page = mem_alloc(sizeof(*page));

	page->block = mem_alloc(sizeof(*page->block));
	*map_put(&pages->map, number, 0) = (uint64_t)(uintptr_t)page;
	pages->recent[number % PAGES_RECENT].page = page;
	pages->recent[number % PAGES_RECENT].number = number;
	if (pages->watch)
		tell(pages, number, pages->watch->used);
	return page;
}

/* Return the bytes of a page, for changing them. */
static uint8_t *page_bytes(const struct pages *pages, struct image_page *page, uint64_t number)
{
	page_changes(pages, page, number);
	if (page->block->shared) {
		struct block *own = mem_alloc(sizeof(*own));

		memcpy(own->bytes, page->block->bytes, IMAGE_PAGE);
		page->block->shared--;
		page->block = own;
	}
	return page->block->bytes;
}

bool bytes_are_zero(const uint8_t *bytes, size_t size)
{
	return !size || (!bytes[0] && !memcmp(bytes, bytes + 1, size - 1));
}

static void page_put(const struct pages *pages, struct image_page *page, uint64_t offset, const uint8_t *bytes,
		     uint64_t size)
{
	uint8_t *to = page_bytes(pages, page, offset / IMAGE_PAGE) + offset % IMAGE_PAGE;

	if (bytes)
		memcpy(to, bytes, size);
	else
		memset(to, 0, size);
}

void pages_put(struct pages *pages, uint64_t offset, const uint8_t *bytes, uint64_t size)
{
	while (size) {
		uint64_t room = IMAGE_PAGE - offset % IMAGE_PAGE, n = size < room ? size : room;
		struct image_page *page = page_recent(pages, offset / IMAGE_PAGE);

		if (!page && bytes && !bytes_are_zero(bytes, n))
			page = page_make(pages, offset / IMAGE_PAGE);
		if (page)
			page_put(pages, page, offset, bytes, n);
		bytes = bytes ? bytes + n : NULL;
		offset += n;
		size -= n;
	}
}

void pages_zero(struct pages *pages, uint64_t offset, uint64_t size)
{
	uint64_t end = offset + size;

	if (size / IMAGE_PAGE <= pages->map.room) {
		pages_put(pages, offset, NULL, size);
		return;
	}
	/* Visit only the pages that exist. */
	for (size_t i = 0; i < pages->map.room; i++) {
		const struct map_entry *e = &pages->map.entries[i];
		uint64_t from = e->key[0] * IMAGE_PAGE, to = from + IMAGE_PAGE;

		if (!e->used || to <= offset || from >= end)
			continue;
		from = from > offset ? from : offset;
		to = to < end ? to : end;
		page_put(pages, entry_page(e), from, NULL, to - from);
	}
}

/* The number of bytes below `limit` in the page that starts at `start`. */
static uint64_t part_below(uint64_t start, uint64_t limit)
{
	if (limit <= start)
		return 0;
	return limit - start < IMAGE_PAGE ? limit - start : IMAGE_PAGE;
}

void pages_shift(struct pages *pages, uint64_t from, uint64_t to)
{
	struct map old;

	pages_change_all(pages);
	old = pages->map;
	pages->map = (struct map){0};
	recent_forget(pages);
	for (size_t i = 0; i < old.room; i++) {
		uint64_t start = old.entries[i].key[0] * IMAGE_PAGE, stay, move;
		const uint8_t *bytes;

		if (!old.entries[i].used)
			continue;
		bytes = entry_page(&old.entries[i])->block->bytes;
		stay = part_below(start, from < to ? from : to);
		move = part_below(start, from); /* bytes from here on move */
		pages_put(pages, start, bytes, stay);
		pages_put(pages, start + move - from + to, bytes + move, IMAGE_PAGE - move);
	}
	map_drop(&old);
}

void pages_share(struct pages *to, const struct pages *from)
{
	for (size_t i = 0; i < from->map.room; i++) {
		const struct map_entry *e = &from->map.entries[i];
		struct image_page *page;

		if (!e->used)
			continue;
		page = mem_alloc(sizeof(*page));
		page->block = entry_page(e)->block;
		page->block->shared++;
		*map_put(&to->map, e->key[0], 0) = (uint64_t)(uintptr_t)page;
		if (to->watch)
			tell(to, e->key[0], to->watch->used);
	}
}

const uint8_t *pages_find(const struct pages *pages, uint64_t number)
{
	const struct image_page *page = page_find(pages, number);

	return page ? page->block->bytes : NULL;
}

static int by_number(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

uint64_t *pages_numbers(const struct pages *pages, size_t *count)
{
	uint64_t *numbers = mem_resize(NULL, pages->map.count + 1, sizeof(*numbers));

	*count = 0;
	for (size_t i = 0; i < pages->map.room; i++) {
		if (pages->map.entries[i].used)
			numbers[(*count)++] = pages->map.entries[i].key[0];
	}
	qsort(numbers, *count, sizeof(*numbers), by_number);
	return numbers;
}
