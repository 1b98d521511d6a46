/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/err.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

static void sentence_fill(struct err *err, const char *fmt, va_list args)
{
	err->status = ERR_CANNOT;
	err->hint[0] = '\0';
	vsnprintf(err->sentence, sizeof(err->sentence), fmt, args);
}

int err_set(struct err *err, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	sentence_fill(err, fmt, args);
	va_end(args);
	return -1;
}

int err_sys(struct err *err, const char *fmt, ...)
{
	int number = errno; /* formatting may change it */
	size_t used;
	va_list args;

	va_start(args, fmt);
	sentence_fill(err, fmt, args);
	va_end(args);
	used = strlen(err->sentence);
	snprintf(err->sentence + used, sizeof(err->sentence) - used, ": %s", strerror(number));
	errno = number; /* the caller may check it to choose a hint */
	return -1;
}

int err_status(struct err *err, enum err_status status)
{
	err->status = status;
	return -1;
}

int err_hint(struct err *err, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(err->hint, sizeof(err->hint), fmt, args);
	va_end(args);
	return -1;
}
