/* SPDX-License-Identifier: GPL-2.0-or-later */
/* recorder.h - find Valgrind and our tool for it, and write the command line that records a program.
 *
 * The tool stands beside the program: in build/valgrind where it was built, in PREFIX/libexec/blackout/valgrind where
 * it is installed.  Both are found from the path of the running executable, so that neither needs an environment
 * variable. */
#ifndef BLACKOUT_RUN_RECORDER_H
#define BLACKOUT_RUN_RECORDER_H

#include <limits.h>
#include <stdbool.h>

#include "base/err.h"
#include "run/words.h"

struct recorder {
	char valgrind[PATH_MAX]; /* the launcher */
	char lib[PATH_MAX];      /* the directory of the tool, */
	char lib_name[PATH_MAX]; /* and what VALGRIND_LIB must call it, as LD_PRELOAD will (run/plain.h) */
};

/* What to record; see `blackout record --help`. */
struct recorder_job {
	const char *dir;     /* absolute */
	struct words pm;     /* absolute patterns */
	struct words target; /* command line */
	bool follow, loads, code_hash;
	bool pmem_force; /* what force.h has is added to the environment */
};

/* Find both, or -1 with a sentence that names what is missing. */
int recorder_find_valgrind(struct recorder *recorder, struct err *err);
int recorder_find_tool(struct recorder *recorder, struct err *err);

/* The path of the running executable. */
int recorder_find_self(char path[PATH_MAX], struct err *err);

/* Another thing that is shipped with the program, such as "examples/kv": its path, or -1 if it is not there. */
int recorder_find_shipped(char path[PATH_MAX], const char *name, struct err *err);

/* Add the command line, and what its environment needs, for a job. */
void recorder_command(const struct recorder *recorder, const struct recorder_job *job, struct words *argv,
		      struct words *environment);

#endif
