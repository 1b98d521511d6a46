/* SPDX-License-Identifier: GPL-2.0-or-later */
/* input.c - see input.h. */
#include "search/input.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/mem.h"
#include "base/path.h"

void input_set(struct input *input, size_t source, const void *bytes, size_t size)
{
	struct input_bytes *to = &input->of[source];
	uint8_t *copy = mem_alloc(size + 1);

	if (size)
		memcpy(copy, bytes, size);
	free(to->at);
	*to = (struct input_bytes){copy, size};
}

struct input input_copy(const struct input *input)
{
	struct input copy = {0};

	for (size_t i = 0; i < SOURCES_MAX; i++)
		if (input->of[i].at)
			input_set(&copy, i, input->of[i].at, input->of[i].size);
	return copy;
}

void input_free(struct input *input)
{
	for (size_t i = 0; i < SOURCES_MAX; i++)
		free(input->of[i].at);
	*input = (struct input){0};
}

struct input_digest input_digest(const struct input *input, const struct input_sources *sources)
{
	XXH3_state_t *state = XXH3_createState();
	XXH128_hash_t hash;

	BUG_ON(!state);
	XXH3_128bits_reset(state);
	for (size_t i = 0; i < sources->count; i++) {
		XXH3_128bits_update(state, &input->of[i].size, sizeof(input->of[i].size));
		if (input->of[i].size)
			XXH3_128bits_update(state, input->of[i].at, input->of[i].size);
	}
	hash = XXH3_128bits_digest(state);
	XXH3_freeState(state);
	return (struct input_digest){{hash.low64, hash.high64}};
}

size_t input_size(const struct input *input, const struct input_sources *sources)
{
	size_t size = 0;

	for (size_t i = 0; i < sources->count; i++)
		size += input->of[i].size;
	return size;
}

void input_clean(struct input *input, const struct input_sources *sources, size_t most)
{
	for (size_t i = 0; i < sources->count; i++) {
		struct input_bytes *bytes = &input->of[i];
		const uint8_t *zero = NULL;

		if (sources->at[i].kind == BO_SOURCE_ARG && bytes->size)
			zero = memchr(bytes->at, 0, bytes->size);
		if (zero)
			bytes->size = (size_t)(zero - bytes->at);
		if (bytes->size > most)
			bytes->size = most;
	}
}

static int bytes_write(const struct input_bytes *bytes, const char *path, struct err *err)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	size_t done = 0;

	if (fd < 0)
		return err_sys(err, "cannot write %s", path);
	while (done < bytes->size) {
		ssize_t n = write(fd, bytes->at + done, bytes->size - done);

		if (n < 0 && errno != EINTR)
			break;
		done += n > 0 ? (size_t)n : 0;
	}
	if (done < bytes->size || close(fd) < 0) {
		err_sys(err, "cannot write %s", path);
		if (done < bytes->size)
			close(fd);
		return -1;
	}
	return 0;
}

int input_write(const struct input *input, const struct input_sources *sources, const char *dir, struct err *err)
{
	char path[PATH_MAX];

	for (size_t i = 0; i < sources->count; i++) {
		bool is_absent = sources->at[i].kind == BO_SOURCE_SOCKET && !input->of[i].size;

		if (path_make(path, sizeof(path), err, "%s/%s", dir, sources->at[i].name) < 0)
			return -1;
		if (is_absent && unlink(path) < 0 && errno != ENOENT) /* of another input */
			return err_sys(err, "cannot remove %s", path);
		if (!is_absent && bytes_write(&input->of[i], path, err) < 0)
			return -1;
	}
	return 0;
}

/* A message that has no file has no bytes, if others have. */
static bool has_messages(const struct input_sources *sources, const char *dir)
{
	char path[PATH_MAX];

	for (size_t i = 0; i < sources->count; i++)
		if (sources->at[i].kind == BO_SOURCE_SOCKET &&
		    path_format(path, sizeof(path), "%s/%s", dir, sources->at[i].name) && access(path, F_OK) == 0)
			return true;
	return false;
}

int input_read_file(struct input *input, size_t source, const char *path, size_t most, struct err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	uint8_t *bytes = mem_alloc(most + 1);
	size_t size = 0;
	ssize_t n = fd < 0 ? -1 : 1;

	while (n > 0 && size < most) {
		n = read(fd, bytes + size, most - size);
		if (n < 0 && errno == EINTR)
			n = 1;
		else
			size += n > 0 ? (size_t)n : 0;
	}
	if (n < 0)
		err_sys(err, "cannot read %s", path);
	else
		input_set(input, source, bytes, size);
	free(bytes);
	if (fd >= 0)
		close(fd);
	return n < 0 ? -1 : 0;
}

int input_read(struct input *input, const struct input_sources *sources, const char *dir, const struct input *otherwise,
	       struct err *err)
{
	bool talks = has_messages(sources, dir);
	char path[PATH_MAX];

	for (size_t i = 0; i < sources->count; i++) {
		if (path_make(path, sizeof(path), err, "%s/%s", dir, sources->at[i].name) < 0)
			return -1;
		if (access(path, F_OK) < 0 && talks && sources->at[i].kind == BO_SOURCE_SOCKET)
			input_set(input, i, "", 0);
		else if (access(path, F_OK) < 0)
			input_set(input, i, otherwise->of[i].at, otherwise->of[i].size);
		else if (input_read_file(input, i, path, INPUT_BYTES_MAX, err) < 0)
			return -1;
	}
	return 0;
}
