/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trace/files.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/path.h"
#include "base/vec.h"

#define DIGITS_MIN 4
#define DIGITS_MAX 9

void files_name(char name[FILES_NAME_BYTES], uint32_t number)
{
	snprintf(name, FILES_NAME_BYTES, "%04u.bo", number);
}

/* Return the number in "NNNN.bo", or -1 for any other name: sealing may have left temporary files. */
static long name_number(const char *name)
{
	size_t digits = strspn(name, "0123456789");
	char again[FILES_NAME_BYTES];
	long number;

	if (digits < DIGITS_MIN || digits > DIGITS_MAX)
		return -1;
	number = strtol(name, NULL, 10);
	files_name(again, (uint32_t)number);
	return strcmp(name, again) ? -1 : number;
}

static int by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

static int no_recording(const char *dir, struct err *err)
{
	struct stat st;

	if (stat(dir, &st) < 0)
		err_sys(err, "cannot open the recording %s", dir);
	else if (!S_ISDIR(st.st_mode))
		err_set(err, "%s is not a recording: a recording is a directory", dir);
	else
		err_set(err, "%s holds no recording: it has no file trace/0000.bo", dir);
	return err_hint(err, "make one with: blackout record --out DIR -- PROGRAM");
}

int files_list(const char *dir, uint32_t **numbers, size_t *count, struct err *err)
{
	VEC_OF(uint32_t) found = {0};
	struct dirent *entry;
	char path[4096];
	DIR *folder;

	if (path_make(path, sizeof(path), err, "%s/trace", dir) < 0)
		return -1;
	folder = opendir(path);
	if (!folder) {
		if (errno == ENOENT || errno == ENOTDIR)
			return no_recording(dir, err);
		return err_sys(err, "cannot open %s", path);
	}
	while ((entry = readdir(folder))) {
		long number = name_number(entry->d_name);

		if (number >= 0)
			vec_push(&found, (uint32_t)number);
	}
	closedir(folder);
	if (found.count)
		qsort(found.at, found.count, sizeof(*found.at), by_number);
	if (!found.count || found.at[0] != 0) {
		vec_free(&found);
		return no_recording(dir, err);
	}
	*numbers = found.at;
	*count = found.count;
	return 0;
}
