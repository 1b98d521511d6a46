/* SPDX-License-Identifier: GPL-2.0-or-later */
/* witness.h - which entries of the user's directories are the work of recovery?
 *
 * A run in place happens beside the user's own files, and others may create files there meanwhile.  So what is new
 * there is removed after the run only if recovery was seen to make it.  A filter (seccomp) stops each of its processes
 * at every system call that can make an entry, and tells us, who take note of the name and let it go on:
 *
 *  1. An entry that is not there yet is recovery's.  In a directory of a PM file it is removed.
 *  2. What is renamed stays whose it is: recovery's if it was before, or if it is the link that stands for a PM file;
 *     otherwise it is the user's, under a new name, be that the name of a PM file.  But what takes the place of another
 *     file of the user is the user's, too.
 *  3. What is not seen (made through io_uring, say, or on a kernel that cannot tell) is not recovery's.
 *
 * The scene's journal has the same notes, for the next command, should we be killed.
 *
 *     struct witness *w = witness_new(scene);
 *     witness_call(w);
 *     if (fork() == 0) { witness_follow(w); exec... }
 *     witness_answer(w);                       // it is followed, with all its descendants, or cannot be
 *     poll(fds, witness_polls(w, fds), -1);
 *     witness_look(w);                         // often: they wait for us
 *     witness_clear(w);                        // all of them have ended: remove what they made */
#ifndef BLACKOUT_RUN_WITNESS_H
#define BLACKOUT_RUN_WITNESS_H

#include <poll.h>

#include "run/scene.h"

struct witness;

struct witness *witness_new(struct scene *scene);

/* Before and after a process is forked, and in it, just before exec.  At most WITNESS_POLLS of them in one run. */
void witness_call(struct witness *witness);
void witness_answer(struct witness *witness);
void witness_follow(struct witness *witness);

enum { WITNESS_POLLS = 2 };
size_t witness_polls(const struct witness *witness, struct pollfd *polls);
void witness_look(struct witness *witness);
void witness_clear(struct witness *witness);

#endif
