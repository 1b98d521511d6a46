/* SPDX-License-Identifier: GPL-2.0-or-later */
/* err.h - environment errors: filled in where they happen, printed only by cli/.
 *
 * A function that can fail because of the environment (no file, no space, a damaged trace) takes a `struct err *` as
 * its last argument, fills it and returns -1.  Our own bugs are assertions (BUG_ON, always compiled in).  Anything the
 * target does is data, never an error. */
#ifndef BLACKOUT_BASE_ERR_H
#define BLACKOUT_BASE_ERR_H

#include <stdio.h>
#include <stdlib.h>

/* The exit status of the process if this error ends the command; see "Exit status" in the manual. */
enum err_status { ERR_USAGE = 2, ERR_CANNOT = 3, ERR_TARGET = 4 };

struct err {
	enum err_status status;
	char sentence[512]; /* one sentence, without a full stop */
	char hint[256];     /* what the user can do about it, or "" */
};

/* Fill *err (status ERR_CANNOT) and return -1, so that callers can write `return err_set(err, ...)`. */
int err_set(struct err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Like err_set, with ": " and the text of errno appended. */
int err_sys(struct err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Change the status of an error that is already set, or add a hint; return -1. */
int err_status(struct err *err, enum err_status status);
int err_hint(struct err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#define BUG_ON(condition)                                                                                \
	do {                                                                                             \
		if (condition) {                                                                         \
			fprintf(stderr, "blackout: bug at %s:%d: %s\n", __FILE__, __LINE__, #condition); \
			abort();                                                                         \
		}                                                                                        \
	} while (0)

#endif
