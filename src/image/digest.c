/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "image/digest.h"

#include <string.h>
#include <xxhash.h>

#include "base/err.h"

struct digest_file {
	uint64_t path; /* digest_path with which its pages were counted */
	struct digest sum;
};

struct digests {
	struct content *content;
	int watcher;
	struct map pages; /* (number, file) -> index of its sum */
	VEC_OF(struct digest) sums;
	VEC_OF(struct digest_file) files; /* by id */
};

uint64_t digest_path(const char *path)
{
	return path ? XXH3_64bits(path, strlen(path)) : 0;
}

struct digest digest_line(uint64_t path, uint64_t line, const uint8_t bytes[LINE_BYTES])
{
	uint64_t words[LINE_BYTES / 8 + 1];
	XXH128_hash_t hash;

	memcpy(words, bytes, LINE_BYTES);
	if (!(words[0] | words[1] | words[2] | words[3] | words[4] | words[5] | words[6] | words[7]))
		return (struct digest){0, 0};
	words[LINE_BYTES / 8] = line;
	hash = XXH3_128bits_withSeed(words, sizeof(words), path);
	return (struct digest){hash.low64, hash.high64};
}

static struct digest digest_page(uint64_t path, uint64_t number, const uint8_t *bytes)
{
	struct digest sum = {0, 0};

	for (unsigned i = 0; bytes && i < IMAGE_PAGE / LINE_BYTES; i++)
		sum = digest_add(sum, digest_line(path, number * (IMAGE_PAGE / LINE_BYTES) + i,
						  bytes + (size_t)i * LINE_BYTES));
	return sum;
}

/* The contribution of a file's existence and size. */
static struct digest digest_existence(uint64_t path, uint64_t size)
{
	XXH128_hash_t hash = XXH3_128bits_withSeed(&size, sizeof(size), path);

	return (struct digest){hash.low64, hash.high64};
}

struct digests *digests_new(struct content *content)
{
	struct digests *d = mem_alloc(sizeof(*d));

	d->content = content;
	d->watcher = content_watch(content);
	BUG_ON(d->watcher < 0); /* it is the first watcher of its content */
	return d;
}

void digests_free(struct digests *digests)
{
	if (!digests)
		return;
	content_unwatch(digests->content, digests->watcher);
	map_free(&digests->pages);
	vec_free(&digests->sums);
	vec_free(&digests->files);
	free(digests);
}

static struct digest *page_sum(struct digests *d, uint32_t file, uint64_t number)
{
	uint64_t *index = map_put(&d->pages, number, file);
	struct digest none = {0, 0};

	if (!*index) {
		vec_push(&d->sums, none);
		*index = d->sums.count;
	}
	return &d->sums.at[*index - 1];
}

/* A page that is listed twice is processed twice; the second time nothing changes. */
static void page_count(struct digests *d, uint32_t file, uint64_t number)
{
	struct digest_file *f = &d->files.at[file];
	struct digest *sum = page_sum(d, file, number);

	f->sum = digest_subtract(f->sum, *sum);
	*sum = digest_page(f->path, number, content_page(d->content, file, number));
	f->sum = digest_add(f->sum, *sum);
}

/* A new path changes the numbers of all lines of the file. */
static void file_rename(struct digests *d, uint32_t file, uint64_t path)
{
	uint64_t *numbers;
	size_t count;

	d->files.at[file].path = path;
	numbers = content_page_numbers(d->content, file, &count);
	for (size_t i = 0; i < count; i++)
		page_count(d, file, numbers[i]);
	free(numbers);
}

static void files_follow(struct digests *d)
{
	struct digest_file blank = {0, {0, 0}};

	while (d->files.count <= content_file_count(d->content))
		vec_push(&d->files, blank);
	for (uint32_t file = 1; file < d->files.count; file++) {
		const char *path = content_path(d->content, file);

		/* A file without a name counts for nothing; it may get its old name back. */
		if (path && digest_path(path) != d->files.at[file].path)
			file_rename(d, file, digest_path(path));
	}
}

struct digest digests_now(struct digests *digests)
{
	struct digest sum = {0, 0};
	const struct page_ref *changes;
	size_t count;

	files_follow(digests);
	changes = content_changes(digests->content, digests->watcher, &count);
	for (size_t i = 0; i < count; i++)
		page_count(digests, changes[i].file, changes[i].number);
	content_settle(digests->content, digests->watcher);
	for (uint32_t file = 1; file < digests->files.count; file++) {
		const struct digest_file *f = &digests->files.at[file];

		if (!content_path(digests->content, file))
			continue;
		sum = digest_add(sum, f->sum);
		sum = digest_add(sum, digest_existence(f->path, content_size(digests->content, file)));
	}
	return sum;
}
