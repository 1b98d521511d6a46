/* SPDX-License-Identifier: GPL-2.0-or-later */
/* command.h - the command lines of one worker in one setting (setting.h): words replaced, operations at hand.
 *
 *     struct command command = {0};
 *     if (!command_is_for(&command, setting))
 *             command_make(&command, &template, setting, "/dev/shm/.../output", &err);
 *     ... command.argv, command.client, command.in ...
 *     command_free(&command);
 */
#ifndef BLACKOUT_RUN_COMMAND_H
#define BLACKOUT_RUN_COMMAND_H

#include <stdbool.h>

#include "base/err.h"
#include "run/setting.h"
#include "run/words.h"

/* What the user wrote. */
struct command_template {
	const char *recover;
	const char *client; /* NULL: none */
};

struct command {
	uint64_t id; /* of the setting; 0: the user's command, unchanged */
	size_t first;
	char *ops;         /* path; NULL: no operations */
	char *text;        /* for the shell; NULL: not made yet */
	struct words argv; /* the shell, and the text */
	char *client;      /* for the shell; NULL: none */
	/* The operations, for the standard input of recovery, or of the client if there is one; -1: they are not read
	 * there. */
	int in;
	bool writes_file; /* the output to compare is in {out} */
};

/* `setting` may be NULL: no operations.  `out` is the path that replaces {out}. */
int command_make(struct command *command, const struct command_template *template,
		 const struct recovery_setting *setting, const char *out, struct err *err);
bool command_is_for(const struct command *command, const struct recovery_setting *setting);
void command_free(struct command *command);

#endif
