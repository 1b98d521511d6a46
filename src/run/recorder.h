/* SPDX-License-Identifier: GPL-2.0-or-later */
/* recorder.h - find Valgrind and our tool for it, and build the command line that records a program.
 *
 * The tool is in a fixed place relative to the program: build/valgrind in a build tree,
 * PREFIX/libexec/blackout/valgrind when installed.  Both are found from the path of the running executable, so no
 * environment variable is needed. */
#ifndef BLACKOUT_RUN_RECORDER_H
#define BLACKOUT_RUN_RECORDER_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "run/words.h"

struct recorder {
	char valgrind[PATH_MAX]; /* the launcher */
	char lib[PATH_MAX];      /* the directory of the tool */
	char lib_name[PATH_MAX]; /* its name for VALGRIND_LIB, and so for LD_PRELOAD (run/preload_path.h) */
};

/* What to record; see `blackout record --help`. */
struct recorder_job {
	const char *dir;      /* absolute */
	struct words pm;      /* absolute patterns */
	struct words target;  /* command line */
	struct words calls;   /* patterns [MODULE:]FUNCTION */
	struct words inputs;  /* what decides by input is recorded; sources as of sources.h; excludes dependencies */
	const char *op_marks; /* how operations are recognized; NULL: they are not recorded */
	const char *ops;      /* with reads: absolute path of the operations; NULL: standard input */
	uint64_t most; /* end the target when the recording has so many bytes, without initial contents; 0: never */
	uint64_t inputs_most; /* at most so many expressions; 0: as many as the recorder can */
	bool inputs_check;    /* record the value of each expression */
	bool follow, loads, reads, code_hash, dependencies, sync;
	bool transactions; /* the calls of libpmemobj that detect/transactions.c needs */
	bool pmem_force;   /* add the variables of pmem_force.h to the environment */
};

/* Find Valgrind or the tool, or return -1 with a sentence that names what is missing. */
int recorder_find_valgrind(struct recorder *recorder, struct err *err);
int recorder_find_tool(struct recorder *recorder, struct err *err);

/* The path of the running executable. */
int recorder_find_self(char path[PATH_MAX], struct err *err);

/* The path of another file that is shipped with the program, such as "examples/kv"; -1 if it does not exist. */
int recorder_find_shipped(char path[PATH_MAX], const char *name, struct err *err);

/* Add the command line for a job to argv, and the variables that it needs to the environment. */
void recorder_command(const struct recorder *recorder, const struct recorder_job *job, struct words *argv,
		      struct words *environment);

#endif
