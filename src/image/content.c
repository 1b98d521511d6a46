/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A file is its size and its pages.  Invariant: in every page the bytes at and beyond the size are zero, so that
 * growing needs no work. */
#include "image/content.h"

#include <linux/falloc.h>
#include <string.h>
#include <unistd.h>

#include "base/vec.h"
#include "image/write.h"

#define PAGE IMAGE_PAGE
#define SIZE_LIMIT ((uint64_t)INT64_MAX)

#ifndef FALLOC_FL_WRITE_ZEROES
#define FALLOC_FL_WRITE_ZEROES 0x80 /* newer than many headers */
#endif

struct content_file {
	bool known;
	uint64_t size;
	char *path; /* NULL: no link left */
	struct pages pages;
};

struct content {
	VEC_OF(struct content_file) files; /* by id; [0] is unused */
	struct watch watch;
};

struct content *content_new(void)
{
	return mem_alloc(sizeof(struct content));
}

void content_free(struct content *content)
{
	if (!content)
		return;
	for (size_t i = 0; i < content->files.count; i++) {
		pages_free(&content->files.at[i].pages);
		free(content->files.at[i].path);
	}
	for (size_t i = 0; i < WATCHERS_MAX; i++)
		vec_free(&content->watch.lists[i]);
	vec_free(&content->files);
	free(content);
}

static struct content_file *file_at(struct content *content, uint32_t file)
{
	while (content->files.count <= file) {
		struct content_file blank = {.pages = {.watch = &content->watch}};

		blank.pages.file = (uint32_t)content->files.count;
		vec_push(&content->files, blank);
	}
	return &content->files.at[file];
}

struct content *content_copy(const struct content *content)
{
	struct content *copy = content_new();

	for (uint32_t file = 1; file < content->files.count; file++) {
		const struct content_file *from = &content->files.at[file];
		struct content_file *to = file_at(copy, file);

		to->known = from->known;
		to->size = from->size;
		to->path = from->path ? strdup(from->path) : NULL;
		pages_share(&to->pages, &from->pages);
	}
	return copy;
}

static const struct content_file *file_find(const struct content *content, uint32_t file)
{
	static const struct content_file none;

	return file < content->files.count ? &content->files.at[file] : &none;
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
		pages_zero(&f->pages, size, f->size - size);
	f->size = size;
}

/* Events */

/* Rule 6: a file that had the name loses it. */
static void file_name(struct content *content, struct content_file *f, const char *path)
{
	free(f->path);
	f->path = path ? strdup(path) : NULL;
	for (size_t i = 1; path && i < content->files.count; i++) {
		struct content_file *other = &content->files.at[i];

		if (other == f || !other->path || strcmp(other->path, path) != 0)
			continue;
		free(other->path);
		other->path = NULL;
	}
}

static void file_start(struct content *content, struct content_file *f, const struct event *ev)
{
	pages_clear(&f->pages);
	f->known = true;
	f->size = ev->size;
	file_name(content, f, ev->path);
}

/* Rule 2: bytes beyond the size are lost. */
static void file_store(struct content_file *f, uint64_t offset, const uint8_t *bytes, uint64_t size)
{
	if (offset < f->size)
		pages_put(&f->pages, offset, bytes, size < f->size - offset ? size : f->size - offset);
}

static void file_write(struct content_file *f, const struct event *ev)
{
	if (!ev->size || ev->offset > SIZE_LIMIT || ev->size > SIZE_LIMIT - ev->offset)
		return;
	file_grow(f, ev->offset + ev->size);
	pages_put(&f->pages, ev->offset, ev->data, ev->size);
}

/* Rule 4.  The kernel refuses to remove or insert a range that is not inside the file. */
static void file_allocate(struct content_file *f, const struct event *ev)
{
	const uint64_t offset = ev->offset, size = ev->size, left = offset < f->size ? f->size - offset : 0;

	if (offset > SIZE_LIMIT || size > SIZE_LIMIT - offset)
		return;
	if (ev->flags & FALLOC_FL_COLLAPSE_RANGE) {
		if (size < left) {
			pages_shift(&f->pages, offset + size, offset);
			f->size -= size;
		}
		return;
	}
	if (ev->flags & FALLOC_FL_INSERT_RANGE) {
		if (left && size <= SIZE_LIMIT - f->size) {
			pages_shift(&f->pages, offset, offset + size);
			f->size += size;
		}
		return;
	}
	if (left && ev->flags & (FALLOC_FL_PUNCH_HOLE | FALLOC_FL_ZERO_RANGE | FALLOC_FL_WRITE_ZEROES))
		pages_zero(&f->pages, offset, size < left ? size : left);
	if (!(ev->flags & (FALLOC_FL_KEEP_SIZE | FALLOC_FL_PUNCH_HOLE)))
		file_grow(f, offset + size);
}

void content_apply(struct content *content, const struct event *ev)
{
	struct content_file *f;

	if (!ev->file)
		return;
	f = file_at(content, ev->file);
	switch (ev->type) {
	case EVENT_STORE:
	case EVENT_CONTENT: file_store(f, ev->offset, ev->data, ev->size); break;
	case EVENT_FILE: file_start(content, f, ev); break;
	case EVENT_FILE_WRITE: file_write(f, ev); break;
	case EVENT_FILE_TRUNCATE: file_resize(f, ev->size); break;
	case EVENT_FILE_ALLOCATE: file_allocate(f, ev); break;
	case EVENT_FILE_RENAME: file_name(content, f, ev->path); break;
	case EVENT_FILE_UNLINK:
		if (!ev->flags) /* otherwise links are left; their names are unknown */
			file_name(content, f, NULL);
		break;
	default: break;
	}
}

/* Queries */

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
	return file_find(content, file)->pages.map.count;
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
		const uint8_t *page = pages_find(&f->pages, (offset + done) / PAGE);

		if (page)
			memcpy(to + done, page + within, n);
		else
			memset(to + done, 0, n);
		done += n;
	}
	return size;
}

int content_write(const struct content *content, uint32_t file, int fd, struct err *err)
{
	const struct content_file *f = file_find(content, file);
	uint64_t *numbers;
	size_t count;
	int r = 0;

	if (ftruncate(fd, 0) < 0 || ftruncate(fd, (off_t)f->size) < 0)
		return err_sys(err, "cannot write a PM file's content of %llu bytes", (unsigned long long)f->size);
	numbers = pages_numbers(&f->pages, &count);
	for (size_t i = 0; i < count && r == 0; i++) {
		const uint8_t *bytes = pages_find(&f->pages, numbers[i]);
		uint64_t offset = numbers[i] * PAGE;

		if (!bytes_are_zero(bytes, PAGE))
			r = write_all(fd, bytes, offset, f->size - offset < PAGE ? f->size - offset : PAGE,
				      "a PM file's content", err);
	}
	free(numbers);
	return r;
}

void content_put(struct content *content, uint32_t file, uint64_t offset, const uint8_t *bytes, size_t size)
{
	file_store(file_at(content, file), offset, bytes, size);
}

/* For modules that follow the content */

uint32_t content_file_count(const struct content *content)
{
	return content->files.count ? (uint32_t)content->files.count - 1 : 0;
}

const uint8_t *content_page(const struct content *content, uint32_t file, uint64_t number)
{
	return pages_find(&file_find(content, file)->pages, number);
}

uint64_t *content_page_numbers(const struct content *content, uint32_t file, size_t *count)
{
	return pages_numbers(&file_find(content, file)->pages, count);
}

int content_watch(struct content *content)
{
	unsigned watcher = 0;

	while (watcher < WATCHERS_MAX && content->watch.used >> watcher & 1)
		watcher++;
	if (watcher == WATCHERS_MAX)
		return -1;
	content->watch.used |= UINT64_C(1) << watcher;
	for (size_t i = 1; i < content->files.count; i++)
		pages_list_all(&content->files.at[i].pages, watcher);
	return (int)watcher;
}

void content_unwatch(struct content *content, int watcher)
{
	content->watch.used &= ~(UINT64_C(1) << watcher);
	vec_free(&content->watch.lists[watcher]);
}

const struct page_ref *content_changes(const struct content *content, int watcher, size_t *count)
{
	*count = content->watch.lists[watcher].count;
	return content->watch.lists[watcher].at;
}

void content_settle(struct content *content, int watcher)
{
	for (size_t i = 0; i < content->watch.lists[watcher].count; i++) {
		struct page_ref ref = content->watch.lists[watcher].at[i];

		pages_seen(&content->files.at[ref.file].pages, ref.number, (unsigned)watcher);
	}
	content->watch.lists[watcher].count = 0;
}
