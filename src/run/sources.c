/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sources.c - see sources.h. */
#include "run/sources.h"

#include <limits.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "base/path.h"

static int file_add(struct words *sources, const char *path, struct err *err)
{
	char cwd[PATH_MAX] = "", absolute[PATH_MAX];

	if (*path != '/' && !getcwd(cwd, sizeof(cwd)))
		return err_sys(err, "cannot find the current directory");
	if (path_make(absolute, sizeof(absolute), err, "%s%s%s", cwd, *cwd ? "/" : "", path) < 0)
		return -1;
	words_add(sources, "file:%s", absolute);
	return 0;
}

static bool is_number(const char *text)
{
	return *text >= '1' && *text <= '9' && strspn(text, "0123456789") == strlen(text) && strlen(text) < 6;
}

int sources_add(struct words *sources, const char *source, struct err *err)
{
	if (!strncmp(source, "file:", 5) && source[5])
		return file_add(sources, source + 5, err);
	if (strcmp(source, "stdin") && strcmp(source, "socket") &&
	    !(!strncmp(source, "arg:", 4) && is_number(source + 4))) {
		err_set(err, "'%.100s' is no source of input", source);
		err_hint(err, "sources are stdin, file:PATH, arg:N (from 1) and socket");
		return err_status(err, ERR_USAGE);
	}
	words_add(sources, "%s", source);
	return 0;
}
