/* SPDX-License-Identifier: GPL-2.0-or-later */
/* main.c - `blackout COMMAND ...`: find the command and run it. */
#include <stdio.h>
#include <string.h>

#include "cli/command.h"

static int help_print(void)
{
	printf("usage: blackout COMMAND [options] ...\n\n"
	       "Blackout tells what a power failure would do to a program that keeps its data in persistent memory.\n\n"
	       "commands:\n");
	for (const struct command *c = command_all(); c->name; c++)
		printf("  %-8s %s\n", c->name, c->help);
	printf("\nblackout COMMAND --help   tells the options of a command\n"
	       "blackout --version        tells the version\n");
	return command_finish(STATUS_DONE);
}

static int usage_fail(const char *word)
{
	struct err err;

	if (!word)
		err_set(&err, "no command given");
	else if (*word == '-')
		err_set(&err, "unknown option %s", word);
	else
		err_set(&err, "unknown command '%s'", word);
	err_status(&err, ERR_USAGE);
	err_hint(&err, "blackout --help");
	return command_fail(&err);
}

int main(int argc, char **argv)
{
	const char *word = argc > 1 ? argv[1] : NULL;

	if (!word)
		return usage_fail(word);
	if (!strcmp(word, "--help") || !strcmp(word, "-h") || !strcmp(word, "help"))
		return help_print();
	if (!strcmp(word, "--version")) {
		printf("blackout %s\n", BLACKOUT_VERSION);
		return command_finish(STATUS_DONE);
	}
	const struct command *command = command_find(word);
	return command ? command->run(argc - 1, argv + 1) : usage_fail(word);
}
