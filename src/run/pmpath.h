/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pmpath.h - turn an argument of --pm into a pattern for the recorder.
 *
 * The target may change its directory, and the kernel tells the recorder the real path of a mapped file.  So the
 * pattern is made absolute, and symbolic links in the part that exists are followed.  The part that does not exist yet
 * is kept as written. */
#ifndef BLACKOUT_RUN_PMPATH_H
#define BLACKOUT_RUN_PMPATH_H

#include <limits.h>

#include "base/err.h"

/* Resolve a file, directory or glob.  -1, ERR_USAGE: empty, or too long. */
int pmpath_resolve(char pattern[PATH_MAX], const char *path, struct err *err);

#endif
