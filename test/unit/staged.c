/* SPDX-License-Identifier: GPL-2.0-or-later */
/* staged.c - see staged.h. */
#include "staged.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "image/stage_in.h"

unsigned staged_entries(const char *path)
{
	DIR *dir = opendir(path);
	const struct dirent *e;
	unsigned count = 0;

	assert_non_null(dir);
	while ((e = readdir(dir)))
		count += e->d_name[0] != '.';
	closedir(dir);
	return count;
}

static void expect_file(const struct stage *stage, const struct image *image, const struct state *state, uint32_t file)
{
	uint64_t size = image_size(image, file);
	uint8_t *is = malloc(size + 1), *should = malloc(size + 1);
	char path[512];
	struct stat st;
	int fd;

	assert_true(stage_path(stage, image_path(image, file), path, sizeof(path)));
	assert_int_equal(lstat(path, &st), 0);
	assert_true(S_ISREG(st.st_mode));
	assert_int_equal(st.st_mode & 07777, 0644);
	assert_int_equal(st.st_size, size);
	fd = open(path, O_RDONLY);
	assert_int_equal(read(fd, is, size + 1), size);
	close(fd);
	assert_int_equal(image_read(image, state, file, 0, should, size), size);
	assert_memory_equal(is, should, size);
	free(is);
	free(should);
}

void staged_expect(const struct stage *stage, const struct origin *origin, const struct image *image,
		   const struct state *state)
{
	unsigned files = 0, entries = 0;

	for (uint32_t file = 1; file <= image_file_count(image); file++) {
		if (!image_exists(image, file))
			continue;
		expect_file(stage, image, state, file);
		files++;
	}
	for (size_t k = 0; k < origin_dir_count(origin); k++)
		entries += staged_entries(stage->dirs.at[k]);
	assert_int_equal(entries, files);
	assert_int_equal(staged_entries(stage_dir(stage)), origin_dir_count(origin));
}

void staged_put(struct image *image, enum event_type type, uint64_t offset, const char *text)
{
	struct event ev = {.type = type, .file = 1, .thread = 1, .offset = offset, .size = strlen(text)};

	ev.data = (const uint8_t *)text;
	image_apply(image, &ev);
}

void staged_load(struct staged *f, struct state *state)
{
	struct err err;

	if (stage_load(f->stage, state, &err) < 0)
		fail_msg("%s", err.sentence);
	state_free(state);
}

int staged_make(void **state)
{
	struct event file = {.type = EVENT_FILE, .file = 1, .size = POOL_SIZE, .path = "/pm/pool"};
	struct staged *f = calloc(1, sizeof(*f));
	struct err err;

	f->origin = origin_new();
	origin_apply(f->origin, &file);
	f->image = image_new(platform_find("adr"), NULL);
	image_apply(f->image, &file);
	staged_put(f->image, EVENT_CONTENT, 4096, "header");
	staged_put(f->image, EVENT_CONTENT, POOL_SIZE / 2, "middle");
	if (staging_open(&f->staging, f->origin, NULL, 1, &err) < 0)
		return -1;
	f->stage = stage_new(f->staging, f->image, &err);
	if (!f->stage)
		return -1;
	snprintf(f->root, sizeof(f->root), "%s", stage_dir(f->stage));
	snprintf(f->pool, sizeof(f->pool), "%s/0/pool", f->root);
	*state = f;
	return 0;
}

int staged_remove(void **state)
{
	struct staged *f = *state;
	char place[256];
	struct stat st;

	snprintf(place, sizeof(place), "%s", staging_path(f->staging));
	staging_close(f->staging);
	image_free(f->image);
	origin_free(f->origin);
	free(f);
	return stat(place, &st) < 0 ? 0 : -1;
}

void staged_beside(const struct staged *f, const char *name, char path[512])
{
	snprintf(path, 512, "%s/%s", f->root, name);
}

void staged_expect_bytes(const struct staged *f, uint64_t offset, const void *should, size_t size)
{
	char bytes[64] = {0};
	int fd = open(f->pool, O_RDONLY);

	assert_true(fd >= 0);
	assert_int_equal(pread(fd, bytes, size, (off_t)offset), size);
	assert_memory_equal(bytes, should, size);
	close(fd);
}

void staged_expect_text(const struct staged *f, uint64_t offset, const char *text)
{
	staged_expect_bytes(f, offset, text, strlen(text));
}
