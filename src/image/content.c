/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A file is its size and a map from page numbers to pages.  Invariants:
 *
 *  - bytes at and beyond the size are zero in every page, so that growing needs no work;
 *  - a page that is absent is all zeros; writing zeros to it leaves it absent. */
#include "image/content.h"

#include <errno.h>
#include <linux/falloc.h>
#include <string.h>
#include <unistd.h>

#include "base/map.h"
#include "base/vec.h"

#define PAGE 4096u
#define SIZE_LIMIT ((uint64_t)INT64_MAX)

#ifndef FALLOC_FL_WRITE_ZEROES
#define FALLOC_FL_WRITE_ZEROES 0x80 /* newer than many headers */
#endif

struct content_file {
	bool known;
	uint64_t size;
	struct map pages; /* page number -> address of PAGE bytes */
	char *path;       /* NULL: no link is left */

	/* The page that was touched last. */
	uint64_t recent_number;
	uint8_t *recent;
};

struct content {
	VEC_OF(struct content_file) files; /* by id; [0] is unused */
};

struct content *content_new(void)
{
	return mem_alloc(sizeof(struct content));
}

static void pages_free(struct map *pages)
{
	for (size_t i = 0; i < pages->room; i++) {
		if (pages->entries[i].used)
			free((void *)(uintptr_t)pages->entries[i].value);
	}
	map_free(pages);
}

void content_free(struct content *content)
{
	if (!content)
		return;
	for (size_t i = 0; i < content->files.count; i++) {
		pages_free(&content->files.at[i].pages);
		free(content->files.at[i].path);
	}
	vec_free(&content->files);
	free(content);
}

static const struct content_file *file_find(const struct content *content, uint32_t file)
{
	static const struct content_file none;

	return file < content->files.count ? &content->files.at[file] : &none;
}

/* Pages */

static uint8_t *page_find(const struct content_file *f, uint64_t number)
{
	const uint64_t *page = map_get(&f->pages, number, 0);

	return page ? (uint8_t *)(uintptr_t)*page : NULL;
}

static uint8_t *page_recent(struct content_file *f, uint64_t number)
{
	if (!f->recent || f->recent_number != number) {
		f->recent = page_find(f, number);
		f->recent_number = number;
	}
	return f->recent;
}

static uint8_t *page_make(struct content_file *f, uint64_t number)
{
	uint8_t *page = mem_alloc(PAGE);

	*map_put(&f->pages, number, 0) = (uint64_t)(uintptr_t)page;
	f->recent = page;
	f->recent_number = number;
	return page;
}

static bool is_zero(const uint8_t *bytes, size_t size)
{
	return !size || (!bytes[0] && !memcmp(bytes, bytes + 1, size - 1));
}

/* Copy bytes, or zeros if `bytes` is NULL, whatever the size of the file says. */
static void bytes_put(struct content_file *f, uint64_t offset, const uint8_t *bytes, uint64_t size)
{
	while (size) {
		uint64_t within = offset % PAGE;
		uint64_t n = size < PAGE - within ? size : PAGE - within;
		uint8_t *page = page_recent(f, offset / PAGE);

		if (!page && bytes && !is_zero(bytes, n))
			page = page_make(f, offset / PAGE);
		if (page && bytes)
			memcpy(page + within, bytes, n);
		else if (page)
			memset(page + within, 0, n);
		bytes = bytes ? bytes + n : NULL;
		offset += n;
		size -= n;
	}
}

/* Zero a range that may be far larger than what is in it: go by the pages that are there. */
static void bytes_zero(struct content_file *f, uint64_t offset, uint64_t size)
{
	uint64_t end = offset + size;

	if (size / PAGE <= f->pages.room) {
		bytes_put(f, offset, NULL, size);
		return;
	}
	for (size_t i = 0; i < f->pages.room; i++) {
		const struct map_entry *e = &f->pages.entries[i];
		uint64_t from = e->key[0] * PAGE, to = from + PAGE;

		if (!e->used || to <= offset || from >= end)
			continue;
		from = from > offset ? from : offset;
		to = to < end ? to : end;
		memset((uint8_t *)(uintptr_t)e->value + from % PAGE, 0, to - from);
	}
}

/* Bytes from `from` on move to `to`; those between are dropped (to < from), or are zero (to > from). */
static void bytes_shift(struct content_file *f, uint64_t from, uint64_t to)
{
	struct map old = f->pages;

	f->pages = (struct map){0};
	f->recent = NULL;
	for (size_t i = 0; i < old.room; i++) {
		const uint8_t *page = (const uint8_t *)(uintptr_t)old.entries[i].value;
		uint64_t start = old.entries[i].key[0] * PAGE, low = from < to ? from : to, stay, move;

		if (!old.entries[i].used)
			continue;
		stay = low <= start ? 0 : low - start < PAGE ? low - start : PAGE; /* bytes of it below the change */
		move = from <= start         ? 0
		       : from - start < PAGE ? from - start
					     : PAGE; /* bytes of it above, from here on */
		bytes_put(f, start, page, stay);
		bytes_put(f, start + move - from + to, page + move, PAGE - move);
	}
	pages_free(&old);
}

/* Sizes */

static void file_grow(struct content_file *f, uint64_t size)
{
	if (size > f->size)
		f->size = size;
}

static void file_resize(struct content_file *f, uint64_t size)
{
	if (size < f->size)
		bytes_zero(f, size, f->size - size);
	f->size = size;
}

/* Events */

static void file_start(struct content_file *f, const struct event *ev)
{
	pages_free(&f->pages);
	free(f->path);
	*f = (struct content_file){.known = true, .size = ev->size};
	f->path = ev->path ? strdup(ev->path) : NULL;
}

/* Rule 2: what lies beyond the size is lost. */
static void file_store(struct content_file *f, const struct event *ev)
{
	if (ev->offset < f->size)
		bytes_put(f, ev->offset, ev->data, ev->size < f->size - ev->offset ? ev->size : f->size - ev->offset);
}

static void file_write(struct content_file *f, const struct event *ev)
{
	if (!ev->size || ev->offset > SIZE_LIMIT || ev->size > SIZE_LIMIT - ev->offset)
		return;
	file_grow(f, ev->offset + ev->size);
	bytes_put(f, ev->offset, ev->data, ev->size);
}

static void file_collapse(struct content_file *f, uint64_t offset, uint64_t size)
{
	if (offset >= f->size || size >= f->size - offset)
		return; /* the kernel refuses this */
	bytes_shift(f, offset + size, offset);
	f->size -= size;
}

static void file_insert(struct content_file *f, uint64_t offset, uint64_t size)
{
	if (offset >= f->size || size > SIZE_LIMIT - f->size)
		return; /* and this */
	bytes_shift(f, offset, offset + size);
	f->size += size;
}

static void file_zero(struct content_file *f, uint64_t offset, uint64_t size)
{
	if (offset < f->size)
		bytes_zero(f, offset, size < f->size - offset ? size : f->size - offset);
}

/* Rule 4 */
static void file_allocate(struct content_file *f, const struct event *ev)
{
	if (ev->offset > SIZE_LIMIT || ev->size > SIZE_LIMIT - ev->offset)
		return;
	if (ev->flags & FALLOC_FL_COLLAPSE_RANGE) {
		file_collapse(f, ev->offset, ev->size);
		return;
	}
	if (ev->flags & FALLOC_FL_INSERT_RANGE) {
		file_insert(f, ev->offset, ev->size);
		return;
	}
	if (ev->flags & (FALLOC_FL_PUNCH_HOLE | FALLOC_FL_ZERO_RANGE | FALLOC_FL_WRITE_ZEROES))
		file_zero(f, ev->offset, ev->size);
	if (!(ev->flags & (FALLOC_FL_KEEP_SIZE | FALLOC_FL_PUNCH_HOLE)))
		file_grow(f, ev->offset + ev->size);
}

static void file_rename(struct content_file *f, const struct event *ev)
{
	free(f->path);
	f->path = strdup(ev->path);
}

static void file_unlink(struct content_file *f, const struct event *ev)
{
	if (ev->flags) /* links are left; which names they have is not known */
		return;
	free(f->path);
	f->path = NULL;
}

static struct content_file *file_at(struct content *content, uint32_t file)
{
	static const struct content_file blank;

	while (content->files.count <= file)
		vec_push(&content->files, blank);
	return &content->files.at[file];
}

void content_apply(struct content *content, const struct event *ev)
{
	struct content_file *f;

	if (!ev->file)
		return;
	f = file_at(content, ev->file);
	switch (ev->type) {
	case EVENT_STORE:
	case EVENT_CONTENT: file_store(f, ev); break;
	case EVENT_FILE: file_start(f, ev); break;
	case EVENT_FILE_WRITE: file_write(f, ev); break;
	case EVENT_FILE_TRUNCATE: file_resize(f, ev->size); break;
	case EVENT_FILE_ALLOCATE: file_allocate(f, ev); break;
	case EVENT_FILE_RENAME: file_rename(f, ev); break;
	case EVENT_FILE_UNLINK: file_unlink(f, ev); break;
	default: break;
	}
}

/* Answers */

bool content_knows(const struct content *content, uint32_t file)
{
	return file_find(content, file)->known;
}

uint64_t content_size(const struct content *content, uint32_t file)
{
	return file_find(content, file)->size;
}

const char *content_path(const struct content *content, uint32_t file)
{
	return file_find(content, file)->path;
}

size_t content_pages(const struct content *content, uint32_t file)
{
	return file_find(content, file)->pages.count;
}

size_t content_read(const struct content *content, uint32_t file, uint64_t offset, void *buffer, size_t size)
{
	const struct content_file *f = file_find(content, file);
	uint8_t *to = buffer;
	size_t done = 0;

	if (offset >= f->size)
		return 0;
	if (size > f->size - offset)
		size = f->size - offset;
	while (done < size) {
		size_t within = (offset + done) % PAGE;
		size_t n = size - done < PAGE - within ? size - done : PAGE - within;
		const uint8_t *page = page_find(f, (offset + done) / PAGE);

		if (page)
			memcpy(to + done, page + within, n);
		else
			memset(to + done, 0, n);
		done += n;
	}
	return size;
}

static int by_number(const void *a, const void *b)
{
	uint64_t x = (*(const struct map_entry *const *)a)->key[0], y = (*(const struct map_entry *const *)b)->key[0];

	return (x > y) - (x < y);
}

static int write_page(int fd, const struct map_entry *page, uint64_t size, struct err *err)
{
	const uint8_t *bytes = (const uint8_t *)(uintptr_t)page->value;
	uint64_t offset = page->key[0] * PAGE, end = size - offset < PAGE ? size : offset + PAGE;

	while (offset < end) {
		ssize_t n = pwrite(fd, bytes + offset % PAGE, end - offset, (off_t)offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_sys(err, "cannot write a PM file's content");
		offset += (uint64_t)n;
	}
	return 0;
}

int content_write(const struct content *content, uint32_t file, int fd, struct err *err)
{
	const struct content_file *f = file_find(content, file);
	VEC_OF(const struct map_entry *) pages = {0};
	int r = 0;

	if (ftruncate(fd, 0) < 0 || ftruncate(fd, (off_t)f->size) < 0)
		return err_sys(err, "cannot write a PM file's content of %llu bytes", (unsigned long long)f->size);
	for (size_t i = 0; i < f->pages.room; i++) {
		const struct map_entry *e = &f->pages.entries[i];

		if (e->used && !is_zero((const uint8_t *)(uintptr_t)e->value, PAGE))
			vec_push(&pages, e);
	}
	if (pages.count)
		qsort(pages.at, pages.count, sizeof(*pages.at), by_number);
	for (size_t i = 0; i < pages.count && r == 0; i++)
		r = write_page(fd, pages.at[i], f->size, err);
	vec_free(&pages);
	return r;
}
