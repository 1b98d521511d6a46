/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmd_send.c - `blackout send DIR`: send an input that a search has kept to its server, which is running. */
#include "cli/command.h"
#include "cli/quantity.h"
#include "search/sender.h"

static const char *timeout;

static const struct option options[] = {
	{"timeout", "SECONDS", "30", "how long the server may take until it listens", OPTION_TEXT, &timeout},
	{0},
};

const struct usage usage_send = {
	.command = "send",
	.operands = "DIR",
	.about = "Send the messages of an input that `blackout search` has kept in DIR to the\n"
		 "server that it was made for. The server must be running, or start soon. The\n"
		 "script DIR/run starts the program, and then this command.",
	.options = options,
	.operand = OPERAND_FILE,
	.operands_min = 1,
	.operands_max = 1,
};

int cmd_send(int argc, char **argv)
{
	int status, first = option_parse(&usage_send, argc, argv, &status);
	double seconds;
	struct err err;

	if (!first)
		return status;
	if (seconds_parse("timeout", timeout, &seconds, &err) < 0 || sender_run(argv[first], seconds, &err) < 0)
		return command_fail(&err);
	return STATUS_DONE;
}
