/* SPDX-License-Identifier: GPL-2.0-or-later */
/* command.h - the table of commands, and what they share.
 *
 * A command is one file, cmd_NAME.c, with one entry `int cmd_NAME(int argc, char **argv)`: argv[0] is the command's own
 * name, and what it returns is the exit status of the program.  To add one: write the file, add a line to COMMANDS. */
#ifndef BLACKOUT_CLI_COMMAND_H
#define BLACKOUT_CLI_COMMAND_H

#include "base/err.h"

/* X(name, one line of help), in the order of `blackout --help` */
#define COMMANDS(X)                                                              \
	X(run, "record a program, analyse it, report")                           \
	X(record, "record what a program does to persistent memory")             \
	X(check, "analyse an earlier recording again")                           \
	X(replay, "rebuild the crash state of a finding and run recovery on it") \
	X(report, "print the findings of a run in another format")               \
	X(dump, "print a recording as text")                                     \
	X(doctor, "check this machine, and say how to mend what is missing")     \
	X(demo, "run on the example that is shipped with Blackout")

#define X(name, help) int cmd_##name(int argc, char **argv);
COMMANDS(X)
#undef X

/* Exit statuses that no struct err carries. */
enum { STATUS_DONE = 0, STATUS_FOUND = 1, STATUS_INTERRUPTED = 130 };

struct command {
	const char *name;
	const char *help;
	int (*run)(int argc, char **argv);
};

/* The entry of that name, or NULL. */
const struct command *command_find(const char *name);

/* All entries; the last one has no name. */
const struct command *command_all(void);

/* Print the error's sentence and hint on stderr; return its exit status, so that commands write
 * `return command_fail(&err);`. */
int command_fail(const struct err *err);

/* stdout is closed or full: a command that printed there ends with this, which returns `status`, or 3 with a
 * sentence. */
int command_finish(int status);

#endif
