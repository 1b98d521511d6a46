/* SPDX-License-Identifier: GPL-2.0-or-later */
/* owner.h - identifies the process that owns something in a file system.
 *
 * Process ids are reused, so an owner is a process id plus the time that process started, in clock ticks since boot. */
#ifndef BLACKOUT_BASE_OWNER_H
#define BLACKOUT_BASE_OWNER_H

#include <stdbool.h>
#include <sys/types.h>
#include <time.h>

struct owner {
	pid_t pid;
	unsigned long long start; /* 0: unknown */
};

struct owner owner_self(void);

/* Is it still running?  A zombie is not. */
bool owner_is_alive(const struct owner *owner);

/* Like owner_is_alive, for a process whose start time is unknown but which had created something by wall-clock time
 * `made`. */
bool owner_was_there(pid_t pid, time_t made);

#endif
