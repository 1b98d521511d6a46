/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmd_help.c - `blackout help [COMMAND]`: the list of commands, or the options of one. */
#include <stdio.h>

#include "cli/command.h"

static const struct option options[] = {{0}};

const struct usage usage_help = {
	.command = "help",
	.operands = "[COMMAND]",
	.about = "Print the list of commands, or the options of COMMAND.",
	.options = options,
	.operand = OPERAND_COMMAND,
	.operands_max = 1,
};

static void commands_print(void)
{
	printf("usage: blackout COMMAND [options] ...\n\n"
	       "Blackout shows what a power failure would do to a program that keeps its data\n"
	       "in persistent memory.\n\n"
	       "Commands:\n");
	for (const struct command *c = command_all(); c->name; c++)
		printf("  %-11s %s\n", c->name, c->help);
	printf("\n"
	       "blackout help COMMAND  lists the options of a command.\n"
	       "blackout --version     prints the version.\n");
}

int cmd_help(int argc, char **argv)
{
	int status, first = option_parse(&usage_help, argc, argv, &status);

	if (!first)
		return status;
	if (first == argc) {
		commands_print();
		return command_finish(STATUS_DONE);
	}
	const struct command *command = command_find(argv[first]);
	if (!command)
		return command_unknown(argv[first]);
	usage_print(command->usage);
	return command_finish(STATUS_DONE);
}
