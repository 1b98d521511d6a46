/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pmpath.c - see pmpath.h. */
#include "run/pmpath.h"

#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "base/path.h"

/* Append one component, or remove one for "..", without looking at the file system. */
static int component_join(char *pattern, const char *component)
{
	size_t used = strlen(pattern);

	if (!strcmp(component, "..")) {
		char *slash = strrchr(pattern, '/');
		if (slash)
			*slash = 0;
		return 0;
	}
	return path_format(pattern + used, PATH_MAX - used, "/%s", component) ? 0 : -1;
}

/* Like component_join, but follows links in the file system.  False if there is no such file; then nothing has
 * changed. */
static bool component_follow(char *pattern, const char *component)
{
	char path[PATH_MAX + NAME_MAX + 2], real[PATH_MAX];

	if (!path_format(path, sizeof(path), "%s/%s", pattern, component) || !realpath(path, real))
		return false;
	strcpy(pattern, strcmp(real, "/") ? real : "");
	return true;
}

static int path_absolute(char absolute[2 * PATH_MAX], const char *path, struct err *err)
{
	char cwd[PATH_MAX] = "";

	if (*path != '/' && !getcwd(cwd, sizeof(cwd)))
		return err_sys(err, "cannot find the current directory");
	if (!path_format(absolute, 2 * PATH_MAX, "%s/%s", cwd, path))
		return err_set(err, "--pm %.40s...: the path is too long", path);
	return 0;
}

int pmpath_resolve(char pattern[PATH_MAX], const char *path, struct err *err)
{
	char absolute[2 * PATH_MAX], *rest = NULL;
	bool exists = true;

	if (!*path)
		err_set(err, "--pm needs a path");
	if (!*path || path_absolute(absolute, path, err) < 0)
		return err_status(err, ERR_USAGE);
	*pattern = 0;
	for (char *part = strtok_r(absolute, "/", &rest); part; part = strtok_r(NULL, "/", &rest)) {
		if (!strcmp(part, "."))
			continue;
		exists = exists && component_follow(pattern, part);
		if (!exists && component_join(pattern, part) < 0) {
			err_set(err, "--pm %.40s...: the path is too long", path);
			return err_status(err, ERR_USAGE);
		}
	}
	if (!*pattern)
		strcpy(pattern, "/");
	return 0;
}
