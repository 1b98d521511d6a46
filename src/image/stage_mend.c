/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Repair after a recovery that used the real files.  It may have written, truncated, moved, replaced and removed them,
 * changed permissions, and left links, directories and files of its own. */
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "image/stage_in.h"
#include "image/tree.h"

/* Names */

/* Also handles a directory that was replaced by something else. */
static int dir_mend(const char *path, struct err *err)
{
	struct stat st;

	if (lstat(path, &st) < 0 || !S_ISDIR(st.st_mode)) {
		tree_remove(path);
		if (mkdir(path, 0755) < 0)
			return err_sys(err, "cannot make %s", path);
	} else if ((st.st_mode & 07777) != 0755 && chmod(path, 0755) < 0) {
		return err_sys(err, "cannot change the mode of %s", path);
	}
	return 0;
}

static bool file_is_sound(struct stage *stage, uint32_t file)
{
	struct stage_file *f = &stage->files.at[file];
	char path[PATH_MAX];
	struct stat st;
	struct err why;
	bool sound;

	stage_shut(stage, file);
	if (!stage_path(stage, f->path, path, sizeof(path)) || lstat(path, &st) < 0 || !S_ISREG(st.st_mode) ||
	    st.st_nlink != 1)
		return false;
	if ((st.st_mode & 07777) != 0644 && chmod(path, 0644) < 0)
		return false;
	f->size = (uint64_t)st.st_size;
	sound = stage_open(stage, file, &why) >= 0;
	stage_rest(stage, file);
	return sound;
}

static void file_forget(struct stage *stage, uint32_t file)
{
	struct stage_file *f = &stage->files.at[file];

	stage_shut(stage, file);
	free(f->path);
	*f = (struct stage_file){.fd = -1};
}

struct looking {
	const struct stage *stage;
	size_t dir;
	bool all; /* everything that had to be removed is gone */
};

static bool belongs(const struct stage *stage, size_t dir, const char *entry)
{
	for (size_t i = 1; i < stage->files.count; i++) {
		const char *path = stage->files.at[i].path, *name;

		if (path && origin_place(stage->staging->origin, path, &name) == (int)dir && !strcmp(name, entry))
			return true;
	}
	return false;
}

static bool entry_look(void *arg, int dir, const char *name)
{
	struct looking *look = arg;

	if (!belongs(look->stage, look->dir, name))
		look->all &= tree_remove_at(dir, name);
	return true;
}

static bool stage_look(void *arg, int dir, const char *name)
{
	struct looking *look = arg;

	for (size_t k = 0; k < look->stage->dirs.count; k++) {
		if (!strcmp(strrchr(look->stage->dirs.at[k], '/') + 1, name))
			return true;
	}
	look->all &= tree_remove_at(dir, name);
	return true;
}

static int dir_clean(const struct stage *stage, const char *path, size_t k,
		     bool (*look)(void *arg, int dir, const char *name), struct err *err)
{
	struct looking looking = {stage, k, true};
	int dir = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (dir < 0)
		return err_sys(err, "cannot read %s", path);
	looking.all &= tree_each(dir, look, &looking);
	close(dir);
	return looking.all ? 0 : err_sys(err, "cannot remove what recovery left in %s", path);
}

int stage_mend_names(struct stage *stage, struct err *err)
{
	if (dir_mend(stage->path, err) < 0)
		return -1;
	for (size_t k = 0; k < stage->dirs.count; k++) {
		if (dir_mend(stage->dirs.at[k], err) < 0)
			return -1;
	}
	for (uint32_t file = 1; file < stage->files.count; file++) {
		if (!stage->files.at[file].path || !file_is_sound(stage, file))
			file_forget(stage, file);
	}
	for (size_t k = 0; k < stage->dirs.count; k++) {
		if (dir_clean(stage, stage->dirs.at[k], k, entry_look, err) < 0)
			return -1;
	}
	return dir_clean(stage, stage->path, 0, stage_look, err);
}

/* Bytes */

struct mending {
	struct stage *stage;
	const struct state *state;
	uint32_t file;
	uint64_t *numbers; /* pages that should have data */
	size_t count, next;
};

/* Fill a hole in the file: write all pages below `end` that should have data. */
static int hole_fill(struct mending *m, uint64_t end, struct err *err)
{
	uint8_t buffer[IMAGE_PAGE];

	for (; m->next < m->count && m->numbers[m->next] < end; m->next++) {
		const uint8_t *page = image_page(m->stage->image, m->state, m->file, m->numbers[m->next], buffer);

		if (!bytes_are_zero(page, IMAGE_PAGE) &&
		    stage_put(m->stage, m->file, m->numbers[m->next], page, err) < 0)
			return -1;
	}
	return 0;
}

static int page_compare(struct mending *m, uint64_t number, const uint8_t *is, size_t size, struct err *err)
{
	uint8_t buffer[IMAGE_PAGE];
	const uint8_t *page = image_page(m->stage->image, m->state, m->file, number, buffer);

	m->stage->cost.pages_compared++;
	return memcmp(is, page, size) ? stage_put(m->stage, m->file, number, page, err) : 0;
}

/* The pages [first, end) contain data: compare each. */
static int data_compare(struct mending *m, int fd, uint64_t first, uint64_t end, struct err *err)
{
	static _Thread_local uint8_t is[STAGE_RUN * IMAGE_PAGE];

	while (first < end) {
		uint64_t pages = end - first < STAGE_RUN ? end - first : STAGE_RUN;
		ssize_t got = pread(fd, is, pages * IMAGE_PAGE, (off_t)(first * IMAGE_PAGE));

		if (got < 0)
			return err_sys(err, "cannot read a crash state in %s", m->stage->path);
		if (got == 0)
			return err_set(err, "a crash state in %s was truncated while it was being read",
				       m->stage->path);
		for (size_t at = 0; at < (size_t)got; at += IMAGE_PAGE, first++) {
			size_t n = (size_t)got - at < IMAGE_PAGE ? (size_t)got - at : IMAGE_PAGE;

			if (page_compare(m, first, is + at, n, err) < 0)
				return -1;
		}
	}
	while (m->next < m->count && m->numbers[m->next] < end)
		m->next++;
	return 0;
}

static int bytes_mend(struct mending *m, int fd, uint64_t size, struct err *err)
{
	uint64_t pages = (size + IMAGE_PAGE - 1) / IMAGE_PAGE, at = 0;

	while (at < pages) {
		off_t data = lseek(fd, (off_t)(at * IMAGE_PAGE), SEEK_DATA), hole;

		if (data < 0) /* ENXIO: only holes */
			break;
		hole = lseek(fd, data, SEEK_HOLE);
		if (hole < 0)
			hole = (off_t)size;
		at = ((uint64_t)hole + IMAGE_PAGE - 1) / IMAGE_PAGE;
		if (hole_fill(m, (uint64_t)data / IMAGE_PAGE, err) < 0 ||
		    data_compare(m, fd, (uint64_t)data / IMAGE_PAGE, at, err) < 0)
			return -1;
	}
	return hole_fill(m, UINT64_MAX, err) < 0 ? -1 : stage_flush(m->stage, err);
}

int stage_mend_bytes(struct stage *stage, const struct state *state, uint32_t file, struct err *err)
{
	struct mending m = {.stage = stage, .state = state, .file = file};
	int fd = stage_open(stage, file, err), r;

	if (fd < 0)
		return -1;
	m.numbers = image_page_numbers(stage->image, state, file, &m.count);
	r = bytes_mend(&m, fd, stage->files.at[file].size, err);
	free(m.numbers);
	stage_rest(stage, file);
	return r;
}
