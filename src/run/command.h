/* SPDX-License-Identifier: GPL-2.0-or-later */
/* command.h - the command lines of one worker in a setting (setting.h): words replaced, operations at hand.
 *
 *     struct command command = {0};
 *     command_make(&command, &template, setting, &(struct command_files){.ops = ".../ops", .out = ".../output"}, &err);
 *     ... command.argv, command.client, command.reads ...
 *     command_free(&command);
 *
 * The words are replaced by paths that are private to the worker and always the same.  The operations are there through a
 * symbolic link.  So most settings have the same command lines, and what was started in one can go on in another. */
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

/* The private paths. */
struct command_files {
	const char *ops, *out;
};

struct command {
	uint64_t id;       /* of the setting; 0: the user's command, unchanged */
	char *text;        /* for the shell; NULL: not made yet */
	struct words argv; /* the shell, and the text */
	char *client;      /* for the shell; NULL: none */
	/* The operations are the standard input of recovery, or of the client if there is one. */
	bool reads;
	bool hides;       /* the private paths may be in its output */
	bool writes_file; /* the output to compare is in {out} */
};

/* `setting` may be NULL: no operations. */
void command_make(struct command *command, const struct command_template *template,
		  const struct recovery_setting *setting, const struct command_files *files);
bool command_same(const struct command *a, const struct command *b);
void command_free(struct command *command);

/* Make the private path `link` lead to the operations of the setting. */
int command_link(const struct recovery_setting *setting, const char *link, struct err *err);

#endif
