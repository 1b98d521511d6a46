/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A load sets names, then sizes, then bytes.  The bytes that may be wrong are those of
 *
 *   - pages whose certain content changed since the last load (the stage is a watcher of the content);
 *   - pages that contain units of the last state;
 *   - pages that contain units of this state;
 *   - files that are new in the stage;
 *
 * and, after distrust, all (stage_mend.c). */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/path.h"
#include "image/stage_in.h"
#include "image/tree.h"
#include "image/write.h"

#define OPEN_MOST 64u /* most files that a stage keeps open */

static struct stage_file *file_at(struct stage *stage, uint32_t file)
{
	struct stage_file blank = {.fd = -1};

	while (stage->files.count <= file)
		vec_push(&stage->files, blank);
	return &stage->files.at[file];
}

/* Stages */

static int dirs_make(struct stage *stage, struct err *err)
{
	size_t count = origin_dir_count(stage->staging->origin);

	if (mkdir(stage->path, 0755) < 0)
		return err_sys(err, "cannot make %s", stage->path);
	for (size_t k = 0; k < count; k++) {
		char *dir;

		BUG_ON(asprintf(&dir, "%s/%zu", stage->path, k) < 0);
		vec_push(&stage->dirs, dir);
		if (mkdir(dir, 0755) < 0)
			return err_sys(err, "cannot make %s", dir);
	}
	return 0;
}

struct stage *stage_new(struct staging *staging, struct image *image, struct err *err)
{
	struct stage *stage = mem_alloc(sizeof(*stage));

	stage->staging = staging;
	stage->image = image;
	stage->next = staging->stages;
	staging->stages = stage;
	stage->watcher = content_watch(image->certain);
	BUG_ON(asprintf(&stage->path, "%s/w%u", staging->path, staging->made++) < 0);
	BUG_ON(asprintf(&stage->what, "a crash state to %s", stage->path) < 0);
	if (stage->watcher < 0)
		err_set(err, "there cannot be more than %u workers", STAGES_MAX);
	else if (dirs_make(stage, err) == 0)
		return stage;
	stage_free(stage);
	return NULL;
}

static void stage_unlink(struct stage *stage)
{
	struct stage **at = &stage->staging->stages;

	while (*at != stage)
		at = &(*at)->next;
	*at = stage->next;
}

void stage_free(struct stage *stage)
{
	if (!stage)
		return;
	stage_unlink(stage);
	if (stage->watcher >= 0)
		content_unwatch(stage->image->certain, stage->watcher);
	for (uint32_t file = 1; file < stage->files.count; file++) {
		stage_shut(stage, file);
		free(stage->files.at[file].path);
	}
	if (stage->staging->owner == getpid())
		tree_remove(stage->path);
	for (size_t k = 0; k < stage->dirs.count; k++)
		free(stage->dirs.at[k]);
	free(stage->path);
	free(stage->what);
	vec_free(&stage->dirs);
	vec_free(&stage->files);
	vec_free(&stage->covered);
	vec_free(&stage->due);
	free(stage);
}

const char *stage_dir(const struct stage *stage)
{
	return stage->path;
}

void stage_distrust(struct stage *stage)
{
	stage->distrusted = true;
}

bool stage_path(const struct stage *stage, const char *path, char *buffer, size_t size)
{
	const char *name;
	int k = origin_place(stage->staging->origin, path, &name);

	return k >= 0 && path_format(buffer, size, "%s/%d/%s", stage->path, k, name);
}

/* Names */

static int real_path(const struct stage *stage, const char *path, char buffer[PATH_MAX], struct err *err)
{
	return stage_path(stage, path, buffer, PATH_MAX)
		       ? 0
		       : err_set(err, "the crash state has no directory for %s", path);
}

static int moving_path(const struct stage *stage, uint32_t file, char buffer[PATH_MAX], struct err *err)
{
	return path_make(buffer, PATH_MAX, err, "%s/moving-%u", stage->path, file);
}

void stage_shut(struct stage *stage, uint32_t file)
{
	struct stage_file *f = &stage->files.at[file];

	if (f->fd >= 0)
		close(f->fd);
	f->fd = -1;
}

void stage_rest(struct stage *stage, uint32_t file)
{
	if (stage->files.count > OPEN_MOST)
		stage_shut(stage, file);
}

int stage_open(struct stage *stage, uint32_t file, struct err *err)
{
	struct stage_file *f = &stage->files.at[file];
	char path[PATH_MAX];

	if (f->fd >= 0)
		return f->fd;
	if (real_path(stage, f->path, path, err) < 0)
		return -1;
	f->fd = open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
	return f->fd >= 0 ? f->fd : err_sys(err, "cannot open %s", path);
}

/* A file loses its name, or is moved aside until the file that has its new name is gone. */
static int file_leave(struct stage *stage, uint32_t file, const char *wanted, struct err *err)
{
	struct stage_file *f = &stage->files.at[file];
	char path[PATH_MAX], aside[PATH_MAX];

	if (!f->path || (wanted && !strcmp(f->path, wanted)))
		return 0;
	if (real_path(stage, f->path, path, err) < 0 || moving_path(stage, file, aside, err) < 0)
		return -1;
	if (wanted ? rename(path, aside) < 0 : unlink(path) < 0)
		return err_sys(err, "cannot move or remove %s", path);
	if (!wanted)
		stage_shut(stage, file);
	f->moving = wanted != NULL;
	free(f->path);
	f->path = NULL;
	return 0;
}

/* All pages of a new file must be written. */
static int file_create(struct stage *stage, const struct state *state, uint32_t file, const char *path, struct err *err)
{
	struct stage_file *f = &stage->files.at[file];
	uint64_t *numbers;
	size_t count;

	f->fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
	if (f->fd < 0)
		return err_sys(err, "cannot make %s", path);
	f->size = 0;
	numbers = image_page_numbers(stage->image, state, file, &count);
	for (size_t i = 0; i < count; i++)
		vec_push(&stage->due, ((struct page_ref){numbers[i], file}));
	free(numbers);
	return 0;
}

static int file_arrive(struct stage *stage, const struct state *state, uint32_t file, const char *wanted,
		       struct err *err)
{
	struct stage_file *f = &stage->files.at[file];
	char path[PATH_MAX], aside[PATH_MAX];

	if (!wanted || f->path)
		return 0;
	if (real_path(stage, wanted, path, err) < 0 || moving_path(stage, file, aside, err) < 0)
		return -1;
	if (f->moving && rename(aside, path) < 0)
		return err_sys(err, "cannot make %s", path);
	if (!f->moving && file_create(stage, state, file, path, err) < 0)
		return -1;
	f->moving = false;
	f->path = strdup(wanted);
	stage_rest(stage, file);
	return 0;
}

static int file_resize(struct stage *stage, uint32_t file, uint64_t size, struct err *err)
{
	struct stage_file *f = &stage->files.at[file];

	if (!f->path || f->size == size)
		return 0;
	if (stage_open(stage, file, err) < 0)
		return -1;
	if (ftruncate(f->fd, (off_t)size) < 0)
		return err_sys(err, "cannot give %s a size of %llu bytes", f->path, (unsigned long long)size);
	f->size = size;
	stage_rest(stage, file);
	return 0;
}

static int load_names(struct stage *stage, const struct state *state, struct err *err)
{
	uint32_t files = image_file_count(stage->image);
	int r = 0;

	file_at(stage, files);
	for (uint32_t file = 1; file <= files && r == 0; file++)
		r = file_leave(stage, file, image_path(stage->image, file), err);
	for (uint32_t file = 1; file <= files && r == 0; file++)
		r = file_arrive(stage, state, file, image_path(stage->image, file), err);
	for (uint32_t file = 1; file <= files && r == 0; file++)
		r = file_resize(stage, file, image_size(stage->image, file), err);
	return r;
}

/* Bytes */

int stage_flush(struct stage *stage, struct err *err)
{
	struct stage_run *run = &stage->run;
	uint64_t offset = run->number * IMAGE_PAGE, size = run->count * IMAGE_PAGE;
	int fd, r;

	if (!run->count)
		return 0;
	run->count = 0;
	fd = stage_open(stage, run->file, err);
	if (fd < 0)
		return -1;
	if (size > stage->files.at[run->file].size - offset)
		size = stage->files.at[run->file].size - offset;
	stage->cost.pages_written += (size + IMAGE_PAGE - 1) / IMAGE_PAGE;
	r = write_all(fd, run->bytes[0], offset, size, stage->what, err);
	if (r < 0 && (errno == ENOSPC || errno == EDQUOT))
		err_hint(err, "crash states take the space of what is in the PM files, once for each of --jobs");
	stage_rest(stage, run->file);
	return r;
}

/* A page without data takes no space. */
static int page_punch(struct stage *stage, uint32_t file, uint64_t number, struct err *err)
{
	int fd = stage_open(stage, file, err);

	if (fd < 0)
		return -1;
	stage->cost.pages_written++;
	return fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)(number * IMAGE_PAGE), IMAGE_PAGE);
}

int stage_put(struct stage *stage, uint32_t file, uint64_t number, const uint8_t page[IMAGE_PAGE], struct err *err)
{
	struct stage_run *run = &stage->run;

	if (number * IMAGE_PAGE >= stage->files.at[file].size)
		return 0;
	if (bytes_are_zero(page, IMAGE_PAGE) && page_punch(stage, file, number, err) == 0)
		return 0;
	if (run->count == STAGE_RUN || run->file != file || run->number + run->count != number) {
		if (stage_flush(stage, err) < 0)
			return -1;
		run->file = file;
		run->number = number;
	}
	memcpy(run->bytes[run->count++], page, IMAGE_PAGE);
	return 0;
}

static int by_place(const void *a, const void *b)
{
	const struct page_ref *x = a, *y = b;

	if (x->file != y->file)
		return x->file < y->file ? -1 : 1;
	return (x->number > y->number) - (x->number < y->number);
}

static int due_write(struct stage *stage, const struct state *state, struct err *err)
{
	const struct page_ref *previous = NULL;
	uint8_t buffer[IMAGE_PAGE];

	if (stage->due.count)
		qsort(stage->due.at, stage->due.count, sizeof(*stage->due.at), by_place);
	for (size_t i = 0; i < stage->due.count; i++) {
		const struct page_ref *ref = &stage->due.at[i];
		const uint8_t *page;

		if (!stage->files.at[ref->file].path || (previous && by_place(previous, ref) == 0))
			continue;
		previous = ref;
		page = image_page(stage->image, state, ref->file, ref->number, buffer);
		if (stage_put(stage, ref->file, ref->number, page, err) < 0)
			return -1;
	}
	return stage_flush(stage, err);
}

/* Collect the pages that contain units of the state, each once. */
static void cover(struct stage *stage, const struct state *state)
{
	stage->covered.count = 0;
	for (size_t i = 0; i < state->count; i++) {
		struct page_ref ref = {state->at[i].offset / IMAGE_PAGE, state->at[i].file};

		if (!stage->covered.count || by_place(&stage->covered.at[stage->covered.count - 1], &ref) != 0)
			vec_push(&stage->covered, ref);
	}
}

static void due_add(struct stage *stage, const struct page_ref *refs, size_t count)
{
	for (size_t i = 0; i < count; i++)
		vec_push(&stage->due, refs[i]);
}

static int load_bytes(struct stage *stage, const struct state *state, struct err *err)
{
	const struct page_ref *changes;
	size_t count;

	changes = content_changes(stage->image->certain, stage->watcher, &count);
	due_add(stage, changes, count);
	due_add(stage, stage->covered.at, stage->covered.count);
	cover(stage, state);
	due_add(stage, stage->covered.at, stage->covered.count);
	return due_write(stage, state, err);
}

static int load(struct stage *stage, const struct state *state, struct err *err)
{
	stage->due.count = stage->run.count = 0;
	if (stage->distrusted && stage_mend_names(stage, err) < 0)
		return -1;
	if (load_names(stage, state, err) < 0)
		return -1;
	if (!stage->distrusted)
		return load_bytes(stage, state, err);
	/* This compares pages again that were just written for a new file. */
	cover(stage, state);
	for (uint32_t file = 1; file < stage->files.count; file++) {
		if (stage->files.at[file].path && stage_mend_bytes(stage, state, file, err) < 0)
			return -1;
	}
	return 0;
}

int stage_load(struct stage *stage, const struct state *state, struct err *err)
{
	const struct digest unknown = {0, 0};

	BUG_ON(state->event != image_events(stage->image));
	stage->cost.loads++;
	if (stage->loaded && !stage->distrusted && !digest_equal(state->digest, unknown) &&
	    digest_equal(stage->holds, state->digest))
		return 0; /* it is there already */
	stage->loaded = false;
	if (load(stage, state, err) < 0) {
		stage->distrusted = true;
		return -1;
	}
	content_settle(stage->image->certain, stage->watcher);
	stage->distrusted = false;
	stage->loaded = true;
	stage->holds = state->digest;
	return 0;
}
