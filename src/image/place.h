/* SPDX-License-Identifier: GPL-2.0-or-later */
/* place.h - directories of our own in a place that others use too.
 *
 * A place is UNDER/blackout-PID-XXXXXX, and whoever made it holds a lock on it.  One whose process is gone and whose lock
 * is free was left behind by somebody who was killed: whoever comes next removes it. */
#ifndef BLACKOUT_IMAGE_PLACE_H
#define BLACKOUT_IMAGE_PLACE_H

#include "base/err.h"

#define PLACE_MEMORY "/dev/shm"

/* Make one: a descriptor that holds the lock while it is open, and *path, for the caller to free (also on failure, if it
 * is not NULL). */
int place_make(const char *under, char **path, struct err *err);

/* Remove those that were left behind in this directory. */
void place_sweep(const char *under);

#endif
