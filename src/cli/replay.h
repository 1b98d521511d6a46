/* SPDX-License-Identifier: GPL-2.0-or-later */
/* replay.h - rebuild the crash state in a folder, and do with it what the user wants: for cmd_replay.c. */
#ifndef BLACKOUT_CLI_REPLAY_H
#define BLACKOUT_CLI_REPLAY_H

#include <limits.h>

#include "base/err.h"
#include "cli/option.h"
#include "run/outcome.h"
#include "run/recovery.h"

struct replay_options {
	bool gdb, shell, quiet;
	struct option_list gdb_commands;
	const char *keep, *recover, *cwd, *timeout, *mode;
	/* derived from these */
	enum recovery_mode recovery_mode;
	double seconds;
};

/* Replay the folder at `path`.  Returns the exit status, or -1 and *err. */
int replay_run(const struct replay_options *options, const char *path, struct err *err);

#endif
