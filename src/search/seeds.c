/* SPDX-License-Identifier: GPL-2.0-or-later */
/* seeds.c - see seeds.h. */
#include "search/seeds.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/path.h"

static int source_default(struct input *seed, size_t index, const struct seeds_from *from, struct err *err)
{
	const struct input_source *source = &from->sources->at[index];
	struct oplist_bytes bytes;

	if (source->ops && !from->ops) {
		err_set(err, "--symbolic ops needs --ops");
		return err_status(err, ERR_USAGE);
	}
	if (source->kind == BO_SOURCE_ARG && source->number >= from->argc) {
		err_set(err, "there is no argument %u for --symbolic arg:%u", source->number, source->number);
		return err_status(err, ERR_USAGE);
	}
	if (source->ops) {
		bytes = oplist_bytes(from->ops, 0, SIZE_MAX);
		input_set(seed, index, bytes.at, bytes.size);
	} else if (source->kind == BO_SOURCE_ARG) {
		input_set(seed, index, from->argv[source->number], strlen(from->argv[source->number]));
	} else if (source->kind == BO_SOURCE_FILE) {
		return input_read_file(seed, index, source->path, INPUT_BYTES_MAX, err);
	} else if (isatty(STDIN_FILENO)) {
		input_set(seed, index, "", 0);
	} else {
		return input_read_file(seed, index, "/dev/stdin", INPUT_BYTES_MAX, err);
	}
	return 0;
}

int seeds_default(struct seeds *seeds, const struct seeds_from *from, struct err *err)
{
	struct input seed = {0};
	int result = 0;

	for (size_t i = 0; result == 0 && i < from->sources->count; i++)
		result = source_default(&seed, i, from, err);
	vec_push(seeds, seed);
	return result;
}

/* A file is then the first message, and the only one. */
static bool only_messages(const struct input_sources *sources)
{
	for (size_t i = 0; i < sources->count; i++)
		if (sources->at[i].kind != BO_SOURCE_SOCKET)
			return false;
	return true;
}

static int entry_read(struct seeds *seeds, const struct seeds_from *from, const char *path, struct err *err)
{
	struct input seed = {0};
	struct stat st;
	int result;

	if (stat(path, &st) < 0)
		return err_sys(err, "cannot read %s", path);
	if (S_ISDIR(st.st_mode)) {
		result = input_read(&seed, from->sources, path, &seeds->at[0], err);
	} else if (from->sources->count == 1 || only_messages(from->sources)) {
		result = input_read_file(&seed, 0, path, INPUT_BYTES_MAX, err);
	} else {
		err_set(err, "%s is a file, but there are %zu sources of input", path, from->sources->count);
		err_hint(err, "make it a folder with a file for each source, named as in inputs/1");
		result = err_status(err, ERR_USAGE);
	}
	vec_push(seeds, seed);
	return result;
}

static int is_visible(const struct dirent *entry)
{
	return *entry->d_name != '.';
}

int seeds_read(struct seeds *seeds, const struct seeds_from *from, const char *dir, struct err *err)
{
	struct dirent **entries;
	int count = scandir(dir, &entries, is_visible, alphasort), result = 0;
	char path[PATH_MAX];

	if (count < 0) {
		err_sys(err, "cannot read the seeds in %s", dir);
		return err_status(err, ERR_USAGE);
	}
	for (int i = 0; i < count; i++) {
		if (result == 0)
			result = path_make(path, sizeof(path), err, "%s/%s", dir, entries[i]->d_name) < 0
					 ? -1
					 : entry_read(seeds, from, path, err);
		free(entries[i]);
	}
	free(entries);
	if (result < 0)
		return -1;
	if (seeds->count == 1) {
		err_set(err, "there are no seeds in %s", dir);
		return err_status(err, ERR_USAGE);
	}
	input_free(&seeds->at[0]);
	memmove(seeds->at, seeds->at + 1, --seeds->count * sizeof(*seeds->at));
	return 0;
}

void seeds_free(struct seeds *seeds)
{
	for (size_t i = 0; i < seeds->count; i++)
		input_free(&seeds->at[i]);
	vec_free(seeds);
}
