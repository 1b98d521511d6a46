/* SPDX-License-Identifier: GPL-2.0-or-later */
/* witness.h - find out which entries of the user's directories recovery has created.
 *
 * A run in place happens beside the user's own files, where other processes may create files meanwhile.  So a new entry
 * is removed after the run only if recovery was seen to create it.  A filter (seccomp) stops each of recovery's
 * processes at every system call that can create an entry.  We note the name and let the process continue:
 *
 *  1. An entry that does not exist yet is recovery's.  In a directory of a PM file it is removed after the run.
 *  2. A rename does not change the owner.  An entry stays recovery's if it was before, or if it is the link that stands
 *     for a PM file.  Otherwise it is the user's, under a new name, even if that is the name of a PM file.  But an
 *     entry that replaces another file of the user is the user's, too.
 *  3. An entry whose creation was not seen (made through io_uring, or on a kernel that cannot report it) is not
 *     recovery's.
 *
 * The scene's journal records the same, for the next command, in case we are killed.
 *
 *     struct witness *w = witness_new(scene);
 *     witness_call(w);
 *     if (fork() == 0) { witness_follow(w); exec... }
 *     witness_answer(w);                       // it is now followed with all its descendants, or cannot be
 *     poll(fds, witness_polls(w, fds), -1);
 *     witness_look(w);                         // often: the processes wait for us
 *     witness_clear(w);                        // all of them have ended: remove what they created */
#ifndef BLACKOUT_RUN_WITNESS_H
#define BLACKOUT_RUN_WITNESS_H

#include <poll.h>

#include "run/scene.h"

struct witness;

struct witness *witness_new(struct scene *scene);

/* witness_call and witness_answer go before and after the fork, witness_follow in the child just before exec.  At most
 * WITNESS_POLLS processes in one run. */
void witness_call(struct witness *witness);
void witness_answer(struct witness *witness);
void witness_follow(struct witness *witness);

enum { WITNESS_POLLS = 2 };
size_t witness_polls(const struct witness *witness, struct pollfd *polls);
void witness_look(struct witness *witness);
void witness_clear(struct witness *witness);

#endif
