/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "image/origin.h"

#include <string.h>
#include <xxhash.h>

#include "base/arena.h"
#include "base/map.h"
#include "base/vec.h"

struct origin_file {
	bool seen;    /* announced */
	bool filling; /* its CONTENT is still that of its first announcement */
};

struct origin_path {
	const char *path;
	size_t dir;
	size_t name; /* index of the last component in `path` */
};

struct origin {
	struct content *content;          /* of the files that existed before */
	VEC_OF(struct origin_file) files; /* by id */
	VEC_OF(struct origin_path) paths;
	struct map path_numbers; /* hash of a path -> its index + 1 */
	VEC_OF(const char *) dirs;
	struct arena strings;
};

struct origin *origin_new(void)
{
	struct origin *origin = mem_alloc(sizeof(*origin));

	origin->content = content_new();
	return origin;
}

void origin_free(struct origin *origin)
{
	if (!origin)
		return;
	content_free(origin->content);
	vec_free(&origin->files);
	vec_free(&origin->paths);
	map_free(&origin->path_numbers);
	vec_free(&origin->dirs);
	arena_free(&origin->strings);
	free(origin);
}

static struct origin_file *file_at(struct origin *origin, uint32_t file)
{
	struct origin_file blank = {0};

	while (origin->files.count <= file)
		vec_push(&origin->files, blank);
	return &origin->files.at[file];
}

/* Paths */

static size_t dir_number(struct origin *origin, const char *path, size_t length)
{
	size_t k = 0;

	while (k < origin->dirs.count &&
	       (strlen(origin->dirs.at[k]) != length || memcmp(origin->dirs.at[k], path, length) != 0))
		k++;
	if (k == origin->dirs.count)
		vec_push(&origin->dirs, arena_copy(&origin->strings, path, length));
	return k;
}

static const struct origin_path *path_find(const struct origin *origin, const char *path)
{
	XXH128_hash_t hash = XXH3_128bits(path, strlen(path));
	const uint64_t *number = map_get(&origin->path_numbers, hash.high64, hash.low64);

	return number ? &origin->paths.at[*number - 1] : NULL;
}

static void path_append(struct origin *origin, const struct origin_path *path)
{
	XXH128_hash_t hash = XXH3_128bits(path->path, strlen(path->path));

	vec_push(&origin->paths, *path);
	*map_put(&origin->path_numbers, hash.high64, hash.low64) = origin->paths.count;
}

bool origin_add_path(struct origin *origin, const char *path)
{
	const char *slash = strrchr(path, '/');
	struct origin_path p;

	if (path[0] != '/' || !strcmp(slash, "/") || !strcmp(slash, "/.") || !strcmp(slash, "/.."))
		return false;
	if (path_find(origin, path))
		return true;
	p.path = arena_copy(&origin->strings, path, strlen(path));
	p.name = (size_t)(slash - path) + 1;
	p.dir = dir_number(origin, path, slash == path ? 1 : (size_t)(slash - path));
	path_append(origin, &p);
	return true;
}

void origin_add_dir(struct origin *origin, const char *path)
{
	dir_number(origin, path, strlen(path));
}

/* Events */

static void note_file(struct origin *origin, const struct event *ev)
{
	struct origin_file *f = file_at(origin, ev->file);

	f->filling = !f->seen && !(ev->flags & BO_FILE_CREATED);
	f->seen = true;
	if (ev->path)
		origin_add_path(origin, ev->path);
	if (f->filling)
		content_apply(origin->content, ev);
}

void origin_apply(struct origin *origin, const struct event *ev)
{
	switch (ev->type) {
	case EVENT_FILE: note_file(origin, ev); break;
	case EVENT_CONTENT:
		if (file_at(origin, ev->file)->filling)
			content_apply(origin->content, ev);
		break;
	/* After this event, the recorder writes the content again if another process changed the file. */
	case EVENT_FILE_TRUNCATE: file_at(origin, ev->file)->filling = false; break;
	case EVENT_FILE_RENAME: origin_add_path(origin, ev->path); break;
	default: break;
	}
}

/* Queries */

size_t origin_path_count(const struct origin *origin)
{
	return origin->paths.count;
}

const char *origin_path(const struct origin *origin, size_t index)
{
	return origin->paths.at[index].path;
}

size_t origin_dir_count(const struct origin *origin)
{
	return origin->dirs.count;
}

const char *origin_dir(const struct origin *origin, size_t index)
{
	return origin->dirs.at[index];
}

int origin_place(const struct origin *origin, const char *path, const char **name)
{
	const struct origin_path *p = path_find(origin, path);

	if (!p)
		return -1;
	*name = path + p->name;
	return (int)p->dir;
}

const struct content *origin_content(const struct origin *origin)
{
	return origin->content;
}

uint64_t origin_bytes(const struct origin *origin)
{
	uint64_t pages = 0;

	for (uint32_t file = 1; file <= content_file_count(origin->content); file++)
		pages += content_pages(origin->content, file);
	return pages * IMAGE_PAGE;
}
