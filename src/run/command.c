/* SPDX-License-Identifier: GPL-2.0-or-later */
/* command.c - see command.h. */
#include "run/command.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "ops/substitute.h"
#include "run/shell.h"

static void argv_make(struct command *command)
{
	char *text = shell_command(command->text);

	words_add(&command->argv, "/bin/sh");
	words_add(&command->argv, "-c");
	words_add(&command->argv, "%s", text);
	free(text);
}

/* The operations are read by recovery, or by the client if there is one. */
static int input_open(struct command *command, unsigned words, struct err *err)
{
	if (!command->ops || words & SUBSTITUTE_OPS)
		return 0;
	command->in = open(command->ops, O_RDONLY | O_CLOEXEC);
	return command->in < 0 ? err_sys(err, "cannot open the operations in %s", command->ops) : 0;
}

int command_make(struct command *command, const struct command_template *template,
		 const struct recovery_setting *setting, const char *out, struct err *err)
{
	struct substitution values = {.out = out};
	unsigned words, client_words = 0;

	*command = (struct command){.in = -1};
	if (setting) {
		command->id = setting->id;
		command->first = values.first = setting->first;
		values.ops = command->ops = strdup(setting->ops);
		BUG_ON(!command->ops);
	}
	command->text = substitute_shell(template->recover, setting ? &values : NULL, &words);
	if (template->client)
		command->client = substitute_shell(template->client, setting ? &values : NULL, &client_words);
	command->writes_file = setting && (words | client_words) & SUBSTITUTE_OUT;
	argv_make(command);
	return input_open(command, template->client ? client_words : words, err);
}

bool command_is_for(const struct command *command, const struct recovery_setting *setting)
{
	if (!command->text || !setting)
		return command->text && !command->id;
	return command->id == setting->id && command->first == setting->first && !strcmp(command->ops, setting->ops);
}

void command_free(struct command *command)
{
	if (command->text && command->in >= 0)
		close(command->in);
	free(command->ops);
	free(command->text);
	free(command->client);
	words_free(&command->argv);
	*command = (struct command){.in = -1};
}
