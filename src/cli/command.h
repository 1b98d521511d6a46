/* SPDX-License-Identifier: GPL-2.0-or-later */
/* command.h - the table of commands, and shared functions.
 *
 * A command is one file, cmd_NAME.c, with its options, `usage_NAME`, and one entry point `int cmd_NAME(int argc, char
 * **argv)`. argv[0] is the command's own name, and the result is the exit status of the program.  To add a command,
 * write the file and add a line to COMMANDS. */
#ifndef BLACKOUT_CLI_COMMAND_H
#define BLACKOUT_CLI_COMMAND_H

#include "base/err.h"
#include "cli/option.h"

/* X(name, one line of help), listed as in `blackout --help` */
#define COMMANDS(X)                                                              \
	X(run, "record a program, analyze it, report")                           \
	X(record, "record what a program does to persistent memory")             \
	X(check, "analyze an earlier recording again")                           \
	X(merge, "put the results of shards together")                           \
	X(replay, "rebuild the crash state of a finding and run recovery on it") \
	X(report, "print the findings of a run in another format")               \
	X(dump, "print a recording as text")                                     \
	X(search, "make inputs that reach more, and judge each run")             \
	X(send, "send an input that a search has kept to its server")            \
	X(ops, "print a list of operations made from a grammar")                 \
	X(explain, "say what a kind of finding means, and how to fix it")        \
	X(doctor, "check this machine, and say how to fix what is missing")      \
	X(demo, "run on the example that is shipped with Blackout")              \
	X(help, "print this list, or the options of a command")                  \
	X(completion, "print a script that completes commands and options in a shell")

#define X(name, help)                          \
	int cmd_##name(int argc, char **argv); \
	extern const struct usage usage_##name;
COMMANDS(X)
#undef X

/* Exit statuses that a struct err cannot have. */
enum { STATUS_DONE = 0, STATUS_FOUND = 1, STATUS_INTERRUPTED = 130 };

struct command {
	const char *name;
	const char *help;
	const struct usage *usage;
	int (*run)(int argc, char **argv);
};

/* The entry of that name, or NULL. */
const struct command *command_find(const char *name);

/* All entries; the last one has no name. */
const struct command *command_all(void);

/* Report that there is no such command.  Returns the exit status. */
int command_unknown(const char *name);

/* Print the error's sentence and hint on stderr.  Returns its exit status, so that commands can write `return
 * command_fail(&err);`. */
int command_fail(const struct err *err);

/* A command that printed to stdout ends with this.  It checks for write errors (closed or full), and returns `status`,
 * or 3 after printing a sentence. */
int command_finish(int status);

#endif
