/* SPDX-License-Identifier: GPL-2.0-or-later */
/* children.h - signal and kill the descendants of a process that reaps orphans (PR_SET_CHILD_SUBREAPER).  No matter
 * which process started them, they become its children once their parents are gone. */
#ifndef BLACKOUT_RUN_CHILDREN_H
#define BLACKOUT_RUN_CHILDREN_H

#include <sys/types.h>

/* Send a signal to every child of this process. */
void children_signal(int signal);

/* Send a signal to all descendants of another process. */
void children_signal_tree(pid_t root, int signal);

/* Kill every descendant, and wait until they are gone. */
void children_kill(void);

/* Kill another process and all its descendants; it must be a child of ours. */
void children_kill_tree(pid_t root);

/* Kill every child of this process that has this text in its initial environment, and every process that becomes a
 * child meanwhile: orphans of a dead process. */
void children_kill_marked(const char *mark);

/* Kill all of this user's processes that have this entry, KEY=VALUE, in their initial environment.  Use it when the
 * process that looked after them is dead. */
void children_kill_lost(const char *entry);

#endif
