/* SPDX-License-Identifier: GPL-2.0-or-later */
/* owner.h - the process that something in a file system belongs to.
 *
 * Process ids are used again, so an owner is an id and the moment at which that process was started, in clock ticks
 * since the machine was booted. */
#ifndef BLACKOUT_BASE_OWNER_H
#define BLACKOUT_BASE_OWNER_H

#include <stdbool.h>
#include <sys/types.h>
#include <time.h>

struct owner {
	pid_t pid;
	unsigned long long start; /* 0: not known */
};

struct owner owner_self(void);

/* Does it still run?  A process that waits to be reaped does not. */
bool owner_is_alive(const struct owner *owner);

/* As owner_is_alive, for a process whose start is not known, but that had made something by this time of the clock. */
bool owner_was_there(pid_t pid, time_t made);

#endif
