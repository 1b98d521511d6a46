/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tee.h - keep what a command prints in a file, and show it while it runs.
 *
 *     struct tee *tee;
 *     if (tee_start(&tee, "dir/output", STDERR_FILENO, &err) < 0) ...
 *     struct process process = {.argv = argv, .output = tee_input(tee)};
 *     r = process_run(&process, &end, &err);
 *     if (tee_stop(tee, &err) < 0) ...                  // the file has everything that the command printed
 *
 * The command prints to a pipe, and a thread reads that.  Processes that the command left running have no reader any
 * more after tee_stop. */
#ifndef BLACKOUT_RUN_TEE_H
#define BLACKOUT_RUN_TEE_H

#include "base/err.h"

struct tee;

#define TEE_HIDDEN (-1)

/* `show` is a descriptor of ours, where everything is shown, or TEE_HIDDEN. */
int tee_start(struct tee **tee, const char *path, int show, struct err *err);

/* The descriptor to print to. */
int tee_input(const struct tee *tee);

/* Call this after the command has ended.  -1: the file could not be written. */
int tee_stop(struct tee *tee, struct err *err);

#endif
