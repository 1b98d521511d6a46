/* SPDX-License-Identifier: GPL-2.0-or-later */
/* shell.h - a command of the user's, for `/bin/sh -c`. */
#ifndef BLACKOUT_RUN_SHELL_H
#define BLACKOUT_RUN_SHELL_H

#include "base/err.h"

/* The command as the shell is to get it.  If it is one simple command that runs a program (words, quotes, variables,
 * redirections, assignments before it), `exec` goes before the program: the shell becomes it instead of waiting for it,
 * so that there is one process with one outcome.  In doubt it stays as it is.  The caller frees the text. */
char *shell_command(const char *command);

/* Can the program be run that the command starts with, seen from `cwd`, so far as can be told without a shell?  -1,
 * ERR_USAGE, if not.  `cwd` NULL: it is not known yet, and nothing is said of a path from there. */
int shell_check(const char *command, const char *cwd, struct err *err);

/* The signal that killed a program, of whose end the shell tells by this exit status; 0: none that programs crash
 * by. */
int shell_signal(int status);

#endif
