/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dirlock.h - allow only one Blackout at a time in a directory of the user.
 *
 * A process that has swapped files in a directory holds a lock (flock) on it.  The processes that would put the files
 * back if it died hold the same lock.  So a free lock means that no process is left that will put them back. */
#ifndef BLACKOUT_RUN_DIRLOCK_H
#define BLACKOUT_RUN_DIRLOCK_H

#include <stdbool.h>

enum {
	DIRLOCK_TURN_MS = 30000, /* wait this long for a process that is testing */
	DIRLOCK_MEND_MS = 1000,  /* wait this long for a process that is putting files back */
};

/* Open the directory. -1: it cannot be read, and is used without a lock. */
int dirlock_open(const char *dir);

/* Lock it.  False: another process held the lock for the whole wait. */
bool dirlock_take(int fd, int wait_ms);

/* Processes that share the descriptor share the lock, so all of them lose it. */
void dirlock_drop(int fd);

#endif
