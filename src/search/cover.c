/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cover.c - see cover.h. */
#include "search/cover.h"

#include <dirent.h>
#include <glob.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/path.h"

/* A file or directory that exists. */
static int path_add(struct start *start, const char *path, struct err *err);

static int entries_add(struct start *start, const char *dir, struct err *err)
{
	struct dirent *entry;
	char path[PATH_MAX];
	struct stat st;
	int result = 0;
	DIR *entries = opendir(dir);

	start_add_dir(start, dir);
	while (entries && result == 0 && (entry = readdir(entries)))
		if (path_format(path, sizeof(path), "%s/%s", dir, entry->d_name) && lstat(path, &st) == 0 &&
		    S_ISREG(st.st_mode))
			result = path_add(start, path, err);
	if (entries)
		closedir(entries);
	return result;
}

static int path_add(struct start *start, const char *path, struct err *err)
{
	char *real = realpath(path, NULL);
	struct stat st;
	int result = 0;

	if (real && stat(real, &st) == 0 && S_ISREG(st.st_mode))
		result = start_add_file(start, real, err);
	free(real);
	return result;
}

/* A pattern without a match may be a file that the program creates. */
static int pattern_add(struct start *start, const char *pattern, struct err *err)
{
	glob_t found = {0};
	struct stat st;
	int result = 0;

	if (glob(pattern, GLOB_NOSORT, NULL, &found) == 0) {
		for (size_t i = 0; result == 0 && i < found.gl_pathc; i++)
			result = stat(found.gl_pathv[i], &st) == 0 && S_ISDIR(st.st_mode)
					 ? entries_add(start, found.gl_pathv[i], err)
					 : path_add(start, found.gl_pathv[i], err);
	} else if (!strpbrk(pattern, "*?[")) {
		result = start_add_file(start, pattern, err);
	}
	globfree(&found);
	return result;
}

/* Programs stay where they are, and are not changed. */
static bool may_be_data(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode) && !(st.st_mode & (S_IXUSR | S_IXGRP | S_IXOTH)) &&
	       access(path, R_OK | W_OK) == 0;
}

/* An argument may be a file, or will be one: then its directory matters. */
static int argument_add(struct start *start, const char *word, struct err *err)
{
	const char *slash = strrchr(word, '/');
	char dir[PATH_MAX] = ".", real[PATH_MAX];
	struct stat st;

	if (may_be_data(word))
		return path_add(start, word, err);
	if (!*word || *word == '-' || slash == word ||
	    (slash && !path_format(dir, sizeof(dir), "%.*s", (int)(slash - word), word)))
		return 0;
	if (stat(word, &st) < 0 && realpath(dir, real) && strcmp(real, "/") != 0)
		start_add_dir(start, real);
	return 0;
}

int cover_add(struct start *start, const struct cover *cover, struct err *err)
{
	int result = 0;

	for (size_t i = 0; result == 0 && i < cover->pm->count; i++)
		result = pattern_add(start, cover->pm->items[i], err);
	for (size_t i = 0; result == 0 && i < cover->sources->count; i++)
		if (cover->sources->at[i].path)
			result = start_add_file(start, cover->sources->at[i].path, err);
	for (size_t i = 1; result == 0 && i < cover->argc; i++) {
		const char *equals = strchr(cover->argv[i], '=');

		result = argument_add(start, cover->argv[i], err);
		if (result == 0 && equals)
			result = argument_add(start, equals + 1, err);
	}
	return result;
}
