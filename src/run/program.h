/* SPDX-License-Identifier: GPL-2.0-or-later */
/* program.h - find a program as execvp does, and say before it is started whether the recorder can run it. */
#ifndef BLACKOUT_RUN_PROGRAM_H
#define BLACKOUT_RUN_PROGRAM_H

#include <limits.h>
#include <stdbool.h>

#include "base/err.h"

struct program {
	char path[PATH_MAX];
	bool is_script; /* starts with #!; the programs that it runs are other files */
};

/* Find `name`: in PATH, or as given if it contains a slash. -1, ERR_USAGE: it does not exist or is not executable. */
int program_find(struct program *program, const char *name, struct err *err);

/* Is it an x86-64 ELF program, or a script that one runs?  Otherwise -1, ERR_USAGE.  Sets is_script. */
int program_check(struct program *program, struct err *err);

#endif
