/* SPDX-License-Identifier: GPL-2.0-or-later */
/* place.h - private directories in a location that other processes use too.
 *
 * A place is UNDER/blackout-PID-XXXXXX, and the process that made it holds a lock on it.  A place whose process is gone
 * and whose lock is free was left behind by a process that was killed.  The next process to come along removes it. */
#ifndef BLACKOUT_IMAGE_PLACE_H
#define BLACKOUT_IMAGE_PLACE_H

#include "base/err.h"

#define PLACE_MEMORY "/dev/shm"

/* Create a place.  Return a descriptor that holds the lock while it is open, and *path, which the caller frees (also on
 * failure, if it is not NULL). */
int place_make(const char *under, char **path, struct err *err);

/* Remove the places in this directory that were left behind. */
void place_sweep(const char *under);

#endif
