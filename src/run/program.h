/* SPDX-License-Identifier: GPL-2.0-or-later */
/* program.h - find a program as execvp does, and say before it is started whether the recorder can run it. */
#ifndef BLACKOUT_RUN_PROGRAM_H
#define BLACKOUT_RUN_PROGRAM_H

#include <limits.h>
#include <stdbool.h>

#include "base/err.h"

struct program {
	char path[PATH_MAX];
	bool is_script; /* starts with #!; what it runs are other programs */
};

/* Find `name`: in PATH, or as it stands where it holds a slash.  Not there, not executable: -1, ERR_USAGE. */
int program_find(struct program *program, const char *name, struct err *err);

/* Is it an x86-64 ELF program, or a script for one?  Otherwise -1, ERR_USAGE.  Sets is_script. */
int program_check(struct program *program, struct err *err);

#endif
