/* SPDX-License-Identifier: GPL-2.0-or-later */
/* path.h - build paths from parts.
 *
 * A path that is truncated to fit its buffer names a different file, perhaps one of the user's.  So every path that is
 * made from parts is made here.  A path that does not fit is an error: errno is ENAMETOOLONG, and the buffer holds "",
 * which names no file.  Callers must check the result. */
#ifndef BLACKOUT_BASE_PATH_H
#define BLACKOUT_BASE_PATH_H

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct err;

/* Return false if the path does not fit into `size` bytes.  Inline, because the stub inside recovery programs uses it
 * too. */
__attribute__((format(printf, 3, 4), warn_unused_result)) static inline bool path_format(char *path, size_t size,
											 const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	int length = vsnprintf(path, size, fmt, args);
	va_end(args);
	if (length >= 0 && (size_t)length < size)
		return true;
	*path = 0;
	errno = ENAMETOOLONG;
	return false;
}

/* Like path_format, but return 0, or -1 with *err set. */
int path_make(char *path, size_t size, struct err *err, const char *fmt, ...)
	__attribute__((format(printf, 4, 5), warn_unused_result));

#endif
