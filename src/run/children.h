/* SPDX-License-Identifier: GPL-2.0-or-later */
/* children.h - the descendants of a process that is the reaper of its orphans (PR_SET_CHILD_SUBREAPER): whoever they
 * were started by, they become its children sooner or later. */
#ifndef BLACKOUT_RUN_CHILDREN_H
#define BLACKOUT_RUN_CHILDREN_H

#include <sys/types.h>

/* Send a signal to every child of ours. */
void children_signal(int signal);

/* Send a signal to all descendants of another process. */
void children_signal_tree(pid_t root, int signal);

/* Kill every descendant, and wait until they are gone. */
void children_kill(void);

/* Kill another process and all its descendants; it must be a child of ours. */
void children_kill_tree(pid_t root);

/* Kill our children, and what then becomes our child, that have this text in the environment they were started with:
 * orphans of a process that is dead. */
void children_kill_marked(const char *mark);

/* Kill all processes of this user that have this entry, KEY=VALUE, in the environment they were started with: nobody is
 * left who looks after them. */
void children_kill_lost(const char *entry);

#endif
