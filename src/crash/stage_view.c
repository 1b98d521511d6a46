/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stage_view.c - see stage_view.h. */
#include "crash/stage_view.h"

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"

enum { FILES_MOST = 64 };

struct stage_view_file {
	const char *path; /* as recovery knows it */
	char *actual;     /* in the stage */
	uint64_t device, inode;
};

static int by_path(const void *a, const void *b)
{
	const struct stage_view_file *x = a, *y = b;

	return strcmp(x->path, y->path);
}

void stage_view_open(struct stage_view *view, const struct stage *stage, const struct origin *origin)
{
	uint32_t count = (uint32_t)origin_path_count(origin);
	char actual[PATH_MAX];

	view->count = count;
	view->files = mem_alloc((count + 1) * sizeof(*view->files));
	view->places = mem_alloc((count + 1) * sizeof(*view->places));
	for (uint32_t i = 0; i < count; i++) {
		bool placed = stage_path(stage, origin_path(origin, i), actual, sizeof(actual));

		view->places[i].path = origin_path(origin, i);
		view->places[i].actual = placed ? strdup(actual) : NULL;
	}
	qsort(view->places, count, sizeof(*view->places), by_path);
}

static void file_unmap(struct profile_file *file)
{
	if (file->bytes)
		munmap((void *)(uintptr_t)file->bytes, file->size);
	*file = (struct profile_file){0};
}

void stage_view_close(struct stage_view *view)
{
	for (uint32_t i = 0; i < view->count; i++) {
		file_unmap(&view->files[i]);
		free(view->places[i].actual);
	}
	free(view->files);
	free(view->places);
	*view = (struct stage_view){0};
}

static bool file_map(struct profile_file *file, const char *path, uint64_t size)
{
	int fd = size ? open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC) : -1;
	void *bytes = fd < 0 ? MAP_FAILED : mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);

	if (fd >= 0)
		close(fd);
	*file = (struct profile_file){.exists = true};
	if (bytes == MAP_FAILED)
		return !size;
	file->bytes = bytes;
	file->size = size;
	return true;
}

static bool file_refresh(struct profile_file *file, struct stage_view_file *place)
{
	struct stat st;

	if (!place->actual)
		return false;
	if (lstat(place->actual, &st) < 0 || !S_ISREG(st.st_mode)) {
		file_unmap(file);
		return true;
	}
	if (file->exists && place->device == st.st_dev && place->inode == st.st_ino &&
	    file->size == (uint64_t)st.st_size)
		return true;
	file_unmap(file);
	place->device = st.st_dev;
	place->inode = st.st_ino;
	return file_map(file, place->actual, (uint64_t)st.st_size);
}

bool stage_view_refresh(struct stage_view *view)
{
	bool good = view->count <= FILES_MOST;

	for (uint32_t i = 0; good && i < view->count; i++)
		good = file_refresh(&view->files[i], &view->places[i]);
	return good;
}

uint32_t stage_view_find(const struct stage_view *view, const char *path)
{
	const struct stage_view_file key = {.path = path};
	const struct stage_view_file *found =
		view->count ? bsearch(&key, view->places, view->count, sizeof(key), by_path) : NULL;

	return found ? (uint32_t)(found - view->places) : UINT32_MAX;
}
