/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dirlock.h - one Blackout at a time in a directory of the user.
 *
 * Whoever has files of a directory swapped holds a lock (flock) on it, and so do the processes that would put them back
 * if he died: a lock that is free means that nobody is left who will. */
#ifndef BLACKOUT_RUN_DIRLOCK_H
#define BLACKOUT_RUN_DIRLOCK_H

#include <stdbool.h>

enum {
	DIRLOCK_TURN_MS = 30000, /* to wait for somebody who is testing */
	DIRLOCK_MEND_MS = 1000,  /* or putting back */
};

/* A descriptor of the directory; -1: it cannot be read, and is used without a lock. */
int dirlock_open(const char *dir);

/* Lock it.  False: somebody else had it all that time. */
bool dirlock_take(int fd, int wait_ms);

/* Processes that share the descriptor share the lock: none of them has it then. */
void dirlock_drop(int fd);

#endif
