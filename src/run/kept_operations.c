/* SPDX-License-Identifier: GPL-2.0-or-later */
/* kept_operations.c - see kept_operations.h. */
#include "run/kept_operations.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/path.h"

#define LIST KEPT_OPERATIONS "/list"

int kept_operations_at(struct kept_operations *k, const char *dir, struct err *err)
{
	if (path_make(k->dir, sizeof(k->dir), err, "%s/" KEPT_OPERATIONS, dir) < 0 ||
	    path_make(k->list, sizeof(k->list), err, "%s/" LIST, dir) < 0)
		return -1;
	return path_make(k->output, sizeof(k->output), err, "%s/" KEPT_OUTPUT, dir);
}

static int file_write(const char *path, const char *bytes, size_t size, struct err *err)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666), result = 0;

	if (fd < 0)
		return err_sys(err, "cannot write %s", path);
	while (size && result == 0) {
		ssize_t n = write(fd, bytes, size);

		if (n > 0) {
			bytes += n;
			size -= (size_t)n;
		} else if (errno != EINTR) {
			result = err_sys(err, "cannot write %s", path);
		}
	}
	close(fd);
	return result;
}

int operations_write_to(const char *path, const struct oplist *list, struct err *err)
{
	struct oplist_bytes all = oplist_bytes(list, 0, SIZE_MAX);

	return file_write(path, all.at, all.size, err);
}

int kept_operations_write(const struct kept_operations *k, const struct oplist *list, struct err *err)
{
	if (mkdir(k->dir, 0777) < 0 && errno != EEXIST)
		return err_sys(err, "cannot create %s", k->dir);
	if (operations_write_to(k->list, list, err) < 0)
		return -1;
	return file_write(k->output, NULL, 0, err);
}

bool kept_operations_exist(const struct kept_operations *k)
{
	struct stat st;

	return stat(k->list, &st) == 0 && S_ISREG(st.st_mode);
}

int kept_operations_remove(int recording)
{
	static const char *const names[] = {LIST, KEPT_OUTPUT, KEPT_OPERATIONS};
	int result = 0;

	for (int i = 0; i < 3; i++)
		if (unlinkat(recording, names[i], i == 2 ? AT_REMOVEDIR : 0) < 0 && errno != ENOENT &&
		    errno != ENOTDIR && errno != ENOTEMPTY)
			result = -1;
	return result;
}
