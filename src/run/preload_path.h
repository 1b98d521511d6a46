/* SPDX-License-Identifier: GPL-2.0-or-later */
/* preload_path.h - another name for a path that LD_PRELOAD cannot express.
 *
 * LD_PRELOAD is a list that is separated by spaces and colons, and has no quoting.  If Blackout is installed under a
 * path that contains one of them, we use a symbolic link in /tmp instead.  It is removed when the program ends. */
#ifndef BLACKOUT_RUN_PRELOAD_PATH_H
#define BLACKOUT_RUN_PRELOAD_PATH_H

#include <limits.h>

#include "base/err.h"

/* If the path needs another name, replace it with that name. */
int preload_path_replace(char path[PATH_MAX], struct err *err);

#endif
