/* SPDX-License-Identifier: GPL-2.0-or-later */
/* err.h - how the environment's failures travel: filled where they happen, printed by cli/ alone.
 *
 * A function that can fail on the environment (no file, no space, a damaged trace) takes a `struct err *` as its last
 * argument, fills it and returns -1.  Our own bugs are assertions (BUG_ON, always compiled in).  What the target does
 * is data, never an error. */
#ifndef BLACKOUT_BASE_ERR_H
#define BLACKOUT_BASE_ERR_H

#include <stdio.h>
#include <stdlib.h>

/* What the process exits with when this error ends the command; see "Exit status" in the manual. */
enum err_status { ERR_USAGE = 2, ERR_CANNOT = 3, ERR_TARGET = 4 };

struct err {
	enum err_status status;
	char sentence[512]; /* one sentence, without a full stop */
	char hint[256];     /* what to do about it, or "" */
};

/* Fill *err (status ERR_CANNOT) and return -1, so that callers write `return err_set(err, ...)`. */
int err_set(struct err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* As err_set, with ": " and the text of errno appended. */
int err_sys(struct err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Give an error that is already set another status, or a hint; return -1. */
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
