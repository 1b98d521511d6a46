/* SPDX-License-Identifier: GPL-2.0-or-later */
/* source.c - see source.h. */
#include "base/source.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/map.h"
#include "base/vec.h"

#define SOURCE_BYTES_MAX (16u << 20)

struct source_text {
	char *bytes; /* NULL: the file cannot be read */
	size_t size;
	VEC_OF(uint32_t) starts; /* offsets at which lines begin */
};

struct sources {
	struct map files; /* from the hash of the path to a struct source_text * */
};

struct sources *sources_new(void)
{
	return mem_alloc(sizeof(struct sources));
}

void sources_free(struct sources *sources)
{
	if (!sources)
		return;
	for (size_t i = 0; i < sources->files.room; i++) {
		struct source_text *text = (struct source_text *)(uintptr_t)sources->files.entries[i].value;

		if (!sources->files.entries[i].used)
			continue;
		free(text->bytes);
		vec_free(&text->starts);
		free(text);
	}
	map_free(&sources->files);
	free(sources);
}

static char *file_read(const char *path, size_t *size)
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	if (fd < 0)
		return NULL;
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_size > SOURCE_BYTES_MAX) {
		close(fd);
		return NULL;
	}
	char *bytes = mem_alloc((size_t)st.st_size + 1);
	size_t done = 0;
	ssize_t n;
	while (done < (size_t)st.st_size && (n = read(fd, bytes + done, (size_t)st.st_size - done)) > 0)
		done += (size_t)n;
	close(fd);
	*size = done;
	return bytes;
}

static struct source_text *text_load(const char *path)
{
	struct source_text *text = mem_alloc(sizeof(*text));

	text->bytes = file_read(path, &text->size);
	for (size_t at = 0; at < text->size;) {
		const char *end = memchr(text->bytes + at, '\n', text->size - at);

		vec_push(&text->starts, (uint32_t)at);
		at = end ? (size_t)(end - text->bytes) + 1 : text->size;
	}
	return text;
}

const char *source_line(struct sources *sources, const char *path, uint32_t line, size_t *length)
{
	if (!path || *path != '/')
		return NULL;
	XXH128_hash_t key = XXH3_128bits(path, strlen(path));
	uint64_t *found = map_put(&sources->files, key.low64, key.high64);
	if (!*found)
		*found = (uintptr_t)text_load(path);
	const struct source_text *text = (const struct source_text *)(uintptr_t)*found;
	if (!line || line > text->starts.count)
		return NULL;
	size_t start = text->starts.at[line - 1], end = line < text->starts.count ? text->starts.at[line] : text->size;
	while (end > start && (text->bytes[end - 1] == '\n' || text->bytes[end - 1] == '\r'))
		end--;
	*length = end - start;
	return text->bytes + start;
}
