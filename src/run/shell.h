/* SPDX-License-Identifier: GPL-2.0-or-later */
/* shell.h - prepare and check a command of the user for `/bin/sh -c`. */
#ifndef BLACKOUT_RUN_SHELL_H
#define BLACKOUT_RUN_SHELL_H

#include <stdio.h>

#include "base/err.h"
#include "run/words.h"

/* The text to give to the shell.  If it is one simple command that runs a program (words, quotes, variables,
 * redirections, leading assignments), `exec` is put before the program.  The shell then becomes the program instead of
 * waiting for it, so that there is one process with one outcome.  In doubt the command stays as it is.  The caller
 * frees the text. */
char *shell_command(const char *command);

/* The text of such a simple command with these words before the program, so that another program runs it: a recorder.
 * NULL: the command is not simple.  The caller frees the text. */
char *shell_command_under(const char *command, const struct words *words);

/* Write a word for the shell, in quotes, whatever it contains. */
void shell_quote(const char *word, FILE *out);

/* Can the program that the command starts with be run from `cwd`, as far as can be told without a shell?  If not, -1,
 * ERR_USAGE.  `cwd` NULL: it is not known yet, and paths relative to it are not checked. */
int shell_check(const char *command, const char *cwd, struct err *err);

/* The signal that killed a program, if the shell reports it by this exit status; 0: none of the signals that crashing
 * programs die of. */
int shell_signal(int status);

#endif
