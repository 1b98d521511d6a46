/* SPDX-License-Identifier: GPL-2.0-or-later */
/* main.c - `blackout COMMAND ...`: find the command and run it. */
#include <stdio.h>
#include <string.h>

#include "cli/cleanup.h"
#include "cli/command.h"

static int usage_fail(const char *option)
{
	struct err err;

	if (option)
		err_set(&err, "unknown option %s", option);
	else
		err_set(&err, "no command given");
	err_status(&err, ERR_USAGE);
	err_hint(&err, "blackout help");
	return command_fail(&err);
}

int main(int argc, char **argv)
{
	char *help[] = {"help", NULL};
	const char *word = argc > 1 ? argv[1] : NULL;

	if (!word)
		return usage_fail(NULL);
	if (!strcmp(word, "--help") || !strcmp(word, "-h"))
		return cmd_help(1, help);
	if (!strcmp(word, "--version")) {
		printf("blackout %s\n", BLACKOUT_VERSION);
		return command_finish(STATUS_DONE);
	}
	if (*word == '-')
		return usage_fail(word);
	const struct command *command = command_find(word);
	if (!command)
		return command_unknown(word);
	leftovers_clear(argc - 1, argv + 1);
	return command->run(argc - 1, argv + 1);
}
