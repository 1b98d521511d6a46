/* SPDX-License-Identifier: GPL-2.0-or-later */
/* path.c - see path.h. */
#include "base/path.h"

#include "base/err.h"

int path_make(char *path, size_t size, struct err *err, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	int length = vsnprintf(path, size, fmt, args);
	va_end(args);
	if (length >= 0 && (size_t)length < size)
		return 0;
	err_set(err, "the path %.200s... is too long", path);
	*path = 0;
	return err_hint(err, "use a directory with a shorter name");
}
