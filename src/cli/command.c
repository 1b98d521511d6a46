/* SPDX-License-Identifier: GPL-2.0-or-later */
/* command.c - the table of commands; see command.h. */
#include "cli/command.h"

#include <stdio.h>
#include <string.h>

#include "cli/nearest.h"

static const struct command commands[] = {
#define X(name, help) {#name, help, &usage_##name, cmd_##name},
	COMMANDS(X)
#undef X
		{0},
};

const struct command *command_all(void)
{
	return commands;
}

const struct command *command_find(const char *name)
{
	for (const struct command *c = commands; c->name; c++)
		if (!strcmp(c->name, name))
			return c;
	return NULL;
}

int command_unknown(const char *name)
{
	struct nearest nearest = {.word = name};
	struct err err;

	for (const struct command *c = commands; c->name; c++)
		nearest_offer(&nearest, c->name);
	err_set(&err, "unknown command '%s'", name);
	err_status(&err, ERR_USAGE);
	if (nearest.best)
		err_hint(&err, "did you mean '%s'?", nearest.best);
	else
		err_hint(&err, "blackout help");
	return command_fail(&err);
}

int command_fail(const struct err *err)
{
	fflush(stdout);
	fprintf(stderr, "blackout: %s\n", err->sentence);
	if (*err->hint)
		fprintf(stderr, "hint: %s\n", err->hint);
	return (int)err->status;
}

int command_finish(int status)
{
	struct err err;

	if (fflush(stdout) == 0 && !ferror(stdout))
		return status;
	err_sys(&err, "cannot write to standard output");
	return command_fail(&err);
}
